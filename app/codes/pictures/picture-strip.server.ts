import { boxOf, type CodeDrawing, shapesOf, withGround } from './code-image';

/** Side of one picture, in the user units of the SVG. */
const SIDE = 64;

/** One SVG with several pictures, one below the other, each a `view` with its id. */
export function stripOf(pictures: { id: string; drawing: CodeDrawing }[]): string {
  const rows = pictures.map(({ id, drawing: bare }, row) => {
    const drawing = withGround(bare);
    const { x, y, width, height } = boxOf(drawing);
    const view = `<view id="${id}" viewBox="0 ${row * SIDE} ${SIDE} ${SIDE}"/>`;
    return `${view}<svg y="${row * SIDE}" width="${SIDE}" height="${SIDE}" viewBox="${x} ${y} ${width} ${height}">${shapesOf(drawing)}</svg>`;
  });
  const height = SIDE * Math.max(pictures.length, 1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIDE} ${height}">${rows.join('')}</svg>`;
}
