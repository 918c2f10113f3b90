/** A box in a drawing. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A point and the words that belong to it. */
export interface Labelled {
  readonly x: number;
  readonly y: number;
  readonly words: string;
}

/** Where the words of a point stand: the box, and whether it is far enough away for a line. */
export interface Placed extends Labelled {
  readonly box: Box;
  readonly far: boolean;
}

const HEIGHT = 14;
const CHARACTER = 6.7;
const RADIUS = 6;

/**
 * A place for the words of every point, so that none covers another or a point: beside it if there
 * is room, otherwise at the nearest free place that is nearer to this point than to any other.
 */
export function placeLabels(points: readonly Labelled[], frame: Box): Placed[] {
  const taken: Box[] = points.map(({ x, y }) => around(x - RADIUS, y - RADIUS, 2 * RADIUS, 2 * RADIUS));
  return points.map((point) => {
    const places = candidates(point);
    const free = places.filter((place) => within(place, frame) && !taken.some((other) => overlap(place, other)));
    const own = free.find((place) => points.every((other) => distance(point, place) <= distance(other, place)));
    const box = own ?? free[0] ?? places[0] ?? frame;
    taken.push(box);
    return { ...point, box, far: distance(point, box) > RADIUS + 4 };
  });
}

/** Right and left of the point, then in ever wider rows above and below. */
function candidates({ x, y, words }: Labelled): Box[] {
  const width = words.length * CHARACTER;
  const rows = Array.from({ length: 40 }, (_, row) => (row % 2 === 0 ? 1 : -1) * Math.ceil(row / 2));
  return rows.flatMap((row) => {
    const top = y - HEIGHT / 2 - row * HEIGHT;
    const sides = [x + RADIUS + 3, x - RADIUS - 3 - width];
    const lefts = row === 0 ? sides : [x - width / 2, ...sides];
    return lefts.map((left) => around(left, top, width, HEIGHT));
  });
}

/** From a point to the nearest place of a box. */
function distance({ x, y }: Labelled, box: Box): number {
  const across = Math.max(box.left - x, 0, x - box.right);
  const up = Math.max(box.top - y, 0, y - box.bottom);
  return Math.hypot(across, up);
}

function around(left: number, top: number, width: number, height: number): Box {
  return { left, top, right: left + width, bottom: top + height };
}

function within(box: Box, frame: Box): boolean {
  return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
