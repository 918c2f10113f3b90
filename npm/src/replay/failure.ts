/** The exit code of a log that cannot be used, or of a report that cannot be written. */
export const UNUSABLE = 1;
/** The exit code of a command that cannot be carried out as it was given. */
export const USAGE = 2;

/** Ends the command with a message for a person. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.name = "Failure";
    this.exitCode = exitCode;
  }
}

/** What is wrong with one line of a log. */
export class Damage extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Damage";
  }
}

/** A value as it is shown in a message: short. */
export function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length <= 60 ? text : `${text.slice(0, 56)}…`;
}

/** The reason that the system gave. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
