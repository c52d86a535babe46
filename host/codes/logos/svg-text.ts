import { constants, gunzipSync } from 'node:zlib';
import { isPacked, LogoRefusal, mayBeSvg } from './formats';

/** More than any logo needs, once it is unpacked and its entities are replaced. */
export const MAX_CHARACTERS = 4 * 1024 * 1024;

/** The text of an SVG in whichever encoding it was saved, compressed or not, without what declares the encoding. */
export function readSvgText(bytes: Buffer): string {
  return decodeText(isPacked(bytes) ? unpack(bytes) : bytes).replace(/<\?xml\s[^>]*>/, '');
}

function unpack(packed: Buffer): Buffer {
  const limit = { maxOutputLength: MAX_CHARACTERS };
  const partly = { ...limit, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    // The beginning tells an archive of something else from a drawing that is too large.
    if (!mayBeSvg(gunzipSync(packed.subarray(0, 1024), partly))) throw new LogoRefusal('logo_not_image');
    return gunzipSync(packed, limit);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    throw code === 'ERR_BUFFER_TOO_LARGE' ? new LogoRefusal('logo_too_complex') : thrown;
  }
}

/**
 * Decodes by byte order mark, by the zero bytes of UTF-16, or as declared; wrong declarations are common, so text that
 * they do not fit is read as UTF-8, and else as what Windows programs write.
 */
function decodeText(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, 1024);
  if (/^\xff\xfe/.test(start) || bytes[1] === 0) return new TextDecoder('utf-16le').decode(bytes);
  if (/^\xfe\xff/.test(start) || bytes[0] === 0) return new TextDecoder('utf-16be').decode(bytes);
  const [, declared = ''] = /<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)/.exec(start) ?? [];
  const labels = [...(/^utf-?16/i.test(declared) ? [] : [declared]), 'utf-8', 'windows-1252'];
  for (const label of labels) {
    try {
      return new TextDecoder(label, { fatal: true }).decode(bytes);
    } catch {
      // No such encoding, or not this one.
    }
  }
  return bytes.toString('latin1');
}

/** The general entities that the internal subset of a DOCTYPE declares, such as the namespaces in Adobe's files. */
export function readEntities(doctype: string): Map<string, string> {
  if (/<!ENTITY\s[^>"']*\s(?:SYSTEM|PUBLIC)\s/.test(doctype)) throw new LogoRefusal('logo_unsafe');
  const declared = doctype.matchAll(/<!ENTITY\s+([^\s%"'>]+)\s+(?:"([^"]*)"|'([^']*)')\s*>/g);
  // Of several declarations the first counts.
  return new Map(
    [...declared].reverse().map(([, name = '', double, single]) => [name, double ?? single ?? '']),
  );
}

const REFERENCE =
  /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<\?[\s\S]*?(?:\?>|$)|&([^\s&;#<>"']+);/g;

/** Replaces references to entities with their text, up to the limit of characters. */
export function expandEntities(text: string, entities: ReadonlyMap<string, string>): string {
  let left = MAX_CHARACTERS;
  const expand = (part: string, open: readonly string[]): string =>
    part.replace(REFERENCE, (whole: string, name: string | undefined) => {
      const value = name === undefined ? undefined : entities.get(name);
      if (name === undefined || value === undefined) return whole;
      if (open.includes(name)) throw new LogoRefusal('logo_broken');
      const expanded = expand(value, [...open, name]);
      left -= expanded.length + 1;
      if (left < 0) throw new LogoRefusal('logo_too_complex');
      // Within an attribute, a quote from an entity does not end it; markup cannot be in one.
      return expanded.includes('<') ? expanded : expanded.replaceAll('"', '&quot;').replaceAll("'", '&apos;');
    });
  return entities.size > 0 ? expand(text, []) : text;
}
