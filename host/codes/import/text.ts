import type { ImportReport } from '#contract/imports';

type Encoding = ImportReport['encoding'];

/** The file is no table that can be imported; the message is a message code. */
export class FileRefused extends Error {
  override name = 'FileRefused';
}

// Tables of our own, because Node.js 20 decodes Windows-1252 as Latin-1, and others know it only with all of ICU.
/** Bytes 0x80 to 0x9F; those that Windows-1252 leaves undefined are controls, as the WHATWG decodes them. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
/** Bytes 0x80 to 0xFF of Mac OS Roman, in which Excel for the Mac still saves. */
const MAC_ROMAN =
  'ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø' +
  '¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ';

/**
 * Decodes by the byte order mark; without one as UTF-8 if valid, otherwise in what Windows or the Mac used to write.
 * Throws `FileRefused` for spreadsheets and archives.
 */
export function decodeText(bytes: Uint8Array): { encoding: Encoding; text: string } {
  const { encoding, text } = decode(bytes);
  // One mark is dropped by the decoder; programs that add one to a file that has one leave more.
  return { encoding, text: text.replace(/^\ufeff+/, '') };
}

function decode(bytes: Uint8Array): { encoding: Encoding; text: string } {
  const starts = (...mark: number[]) => mark.every((byte, index) => bytes[index] === byte);
  // Spreadsheets and archives (PKZIP), and the files of Excel before 2007 (CFB).
  if (starts(0x50, 0x4b, 0x03, 0x04) || starts(0xd0, 0xcf, 0x11, 0xe0))
    throw new FileRefused('import_not_csv');
  const zeros = (start: number) => {
    const sample = bytes.subarray(0, 200).filter((_, index) => index % 2 === start);
    return sample.length > 0 && sample.filter((byte) => byte === 0).length > sample.length / 2;
  };
  if (starts(0xff, 0xfe) || zeros(1))
    return { encoding: 'utf-16', text: new TextDecoder('utf-16le').decode(bytes) };
  if (starts(0xfe, 0xff) || zeros(0))
    return { encoding: 'utf-16', text: new TextDecoder('utf-16be').decode(bytes) };
  try {
    // With the mark of UTF-8, a broken character says nothing about the encoding of the others.
    const fatal = !starts(0xef, 0xbb, 0xbf);
    return { encoding: 'utf-8', text: new TextDecoder('utf-8', { fatal }).decode(bytes) };
  } catch {
    return decodeLegacy(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'));
  }
}

/** Only the Mac ends lines with CR alone, and only there these bytes are letters: Å, ç, è, ê and ù. */
function decodeLegacy(latin1: string): { encoding: Encoding; text: string } {
  const endsLinesWithCr = latin1.includes('\r') && !latin1.includes('\n');
  const isMac = endsLinesWithCr || /[\u0081\u008d\u008f\u0090\u009d]/.test(latin1);
  const [encoding, table, bytes] = isMac
    ? (['macintosh', MAC_ROMAN, /[\u0080-\u00ff]/g] as const)
    : (['windows-1252', WINDOWS_1252, /[\u0080-\u009f]/g] as const);
  return { encoding, text: latin1.replace(bytes, (byte) => table[byte.charCodeAt(0) - 0x80] ?? byte) };
}
