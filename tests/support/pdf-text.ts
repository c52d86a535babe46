import { inflateSync } from 'node:zlib';

/** Windows-1252 where it differs from Latin 1, as far as it is used here. */
const HIGH: Record<string, string> = { '\u0080': '€', '\u0092': '’', '\u0096': '–' };

function letters(hex: string): string {
  return [...Buffer.from(hex, 'hex').toString('latin1')].map((letter) => HIGH[letter] ?? letter).join('');
}

/** The text of a PDF whose streams are deflated and whose letters are hexadecimal numbers, a line for each piece written. */
export function pdfText(pdf: Uint8Array): string {
  const bytes = Buffer.from(pdf);
  const found: string[] = [];
  for (let at = bytes.indexOf('stream\n'); at >= 0; at = bytes.indexOf('stream\n', at + 7)) {
    const end = bytes.indexOf('endstream', at);
    const content = (() => {
      try {
        return inflateSync(bytes.subarray(at + 7, end)).toString('latin1');
      } catch {
        return '';
      }
    })();
    for (const [, list = ''] of content.matchAll(/\[([^\]]*)\] TJ/g)) {
      found.push([...list.matchAll(/<([0-9a-f]*)>/g)].map(([, hex = '']) => letters(hex)).join(''));
    }
  }
  return found.join('\n');
}
