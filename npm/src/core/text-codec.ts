// UTF-8 for hosts without TextEncoder and TextDecoder (some test environments, small engines):
// the build puts these names in front of every entry, and they are the host's own where it has them.

class Encoder {
  readonly encoding = "utf-8";

  encode(text = ""): Uint8Array {
    const bytes = new Uint8Array(text.length * 3);
    return bytes.slice(0, this.encodeInto(text, bytes).written);
  }

  encodeInto(text: string, into: Uint8Array): { read: number; written: number } {
    let [read, written] = [0, 0];
    for (const character of text) {
      const bytes = utf8(character.codePointAt(0) ?? 0);
      if (written + bytes.length > into.length) break;
      into.set(bytes, written);
      written += bytes.length;
      read += character.length;
    }
    return { read, written };
  }
}

class Decoder {
  readonly encoding = "utf-8";

  /** Of bytes that the core wrote: always well-formed. */
  decode(bytes: Uint8Array = new Uint8Array(0)): string {
    let text = "";
    for (let at = 0; at < bytes.length; ) {
      const first = bytes[at] ?? 0;
      const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
      let point = length === 1 ? first : first & (0xff >> (length + 1));
      for (let next = at + 1; next < at + length; next++) point = (point << 6) | ((bytes[next] ?? 0) & 0x3f);
      text += String.fromCodePoint(point);
      at += length;
    }
    return text;
  }
}

function utf8(given: number): number[] {
  const point = given >= 0xd800 && given <= 0xdfff ? 0xfffd : given;
  if (point < 0x80) return [point];
  const tail = (shift: number): number => 0x80 | ((point >> shift) & 0x3f);
  if (point < 0x800) return [0xc0 | (point >> 6), tail(0)];
  if (point < 0x10000) return [0xe0 | (point >> 12), tail(6), tail(0)];
  return [0xf0 | (point >> 18), tail(12), tail(6), tail(0)];
}

const TextEncoderHere = typeof TextEncoder === "function" ? TextEncoder : Encoder;
const TextDecoderHere = typeof TextDecoder === "function" ? TextDecoder : Decoder;

export { TextDecoderHere as TextDecoder, TextEncoderHere as TextEncoder };
