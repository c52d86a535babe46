/** Corner radii: top left, top right, bottom right, bottom left. */
export type Radii = readonly [number, number, number, number];

interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Rounded to a thousandth of a module, which is invisible. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/**
 * As short as path syntax allows: browsers parse the path on every keystroke, and longer ones take longer.
 */
export function short(value: number): string {
  return String(rounded(value)).replace(/^(-?)0\./, '$1.');
}

/**
 * SVG path of a rectangle with rounded corners, clockwise: with the non-zero fill rule, a `holePath` inside it stays
 * unfilled.
 */
export function rectanglePath({ x, y, width, height }: Rectangle, radii: Radii): string {
  const [topLeft, topRight, bottomRight, bottomLeft] = radii;
  const arc = (radius: number, right: number, down: number) =>
    radius === 0
      ? ''
      : `a${short(radius)} ${short(radius)} 0 0 1 ${short(right * radius)} ${short(down * radius)}`;
  return [
    `M${short(x + topLeft)} ${short(y)}h${short(width - topLeft - topRight)}${arc(topRight, 1, 1)}`,
    `v${short(height - topRight - bottomRight)}${arc(bottomRight, -1, 1)}`,
    `h${short(bottomRight + bottomLeft - width)}${arc(bottomLeft, -1, -1)}`,
    `v${short(bottomLeft + topLeft - height)}${arc(topLeft, 1, -1)}z`,
  ].join('');
}

/** Like `rectanglePath`, but counter-clockwise. */
export function holePath({ x, y, width, height }: Rectangle, radii: Radii): string {
  const [topLeft, topRight, bottomRight, bottomLeft] = radii;
  const arc = (radius: number, right: number, down: number) =>
    radius === 0
      ? ''
      : `a${short(radius)} ${short(radius)} 0 0 0 ${short(right * radius)} ${short(down * radius)}`;
  return [
    `M${short(x + topLeft)} ${short(y)}${arc(topLeft, -1, 1)}v${short(height - topLeft - bottomLeft)}`,
    `${arc(bottomLeft, 1, 1)}h${short(width - bottomLeft - bottomRight)}`,
    `${arc(bottomRight, 1, -1)}v${short(bottomRight + topRight - height)}`,
    `${arc(topRight, -1, -1)}h${short(topLeft + topRight - width)}z`,
  ].join('');
}

/** A full circle; counter-clockwise as a hole. */
export function circlePath(centreX: number, centreY: number, radius: number, isHole = false): string {
  const [r, across, sweep] = [short(radius), short(2 * radius), isHole ? 0 : 1];
  const half = (to: string) => `a${r} ${r} 0 0 ${sweep} ${to} 0`;
  return `M${short(centreX - radius)} ${short(centreY)}${half(across)}${half(`-${across}`)}z`;
}
