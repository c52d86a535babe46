import { domainToUnicode } from 'node:url';
import {
  type CodeFields,
  type CodeType,
  checkContent,
  checkNetwork,
  contentOf,
  isHonestHost,
  targetOf,
  tidy,
} from '#contract/contents';
import type { DraftFields } from '#contract/drafts';
import { readName, readTags } from '#contract/labels';
import { createOwnCodeFinder } from '#contract/own-codes';
import { type Style, styleOfFields } from '#contract/style-rules';
import { StyleInput } from '#contract/styles';
import { parseWifi } from '#contract/wifi';
import type { Deps } from '#host/http/deps';
import type { MessageCode } from '#host/http/message-codes';

/** Addresses under which codes of ours are opened. */
type Own = Pick<Deps['settings'], 'publicUrl' | 'shortUrl' | 'hostPublicUrl'>;
type Texts = { content: string; subject: string; body: string };
/** What is stored, or the message codes that say why it is refused, by field. */
type Refused = { refused: Record<string, MessageCode[]> };
type Read = { values: Texts } | Refused;

/** Addresses under which codes of ours open. */
export function codeAddresses({ publicUrl, shortUrl, hostPublicUrl }: Own): string[] {
  return [publicUrl, shortUrl, hostPublicUrl];
}

/** Reads what a call sends as the content of a code; that of a Wi-Fi code is its `WIFI:` string. */
export function readContent(type: CodeType, texts: Texts, own: Own): Read {
  if (type !== 'wifi') return readFields({ type, ...texts }, own);
  const network = parseWifi(texts.content);
  if (network === null) return { refused: { content: ['wifi_invalid'] } };
  const [problem] = checkNetwork(network);
  if (problem) return { refused: { content: [problem.code] } };
  return readFields({ type, content: '', ...network }, own);
}

/** Reads what somebody typed into the creation form. */
export function readFields(fields: CodeFields | DraftFields, own: Own): Read {
  const findOwnCode = createOwnCodeFinder(codeAddresses(own));
  const refused: Record<string, MessageCode[]> = {};
  for (const { field, code } of checkContent(fields, (link) => findOwnCode(link) !== null)) {
    refused[field] = [...(refused[field] ?? []), code];
  }
  if (Object.keys(refused).length > 0) return { refused };
  const isEmail = fields.type === 'email';
  return {
    values: {
      content: contentOf(fields),
      subject: isEmail ? tidy(fields.subject ?? '') : '',
      body: isEmail ? tidy(fields.body ?? '') : '',
    },
  };
}

/** Reads a kept design with its look and what it is to be called. */
export function readDraft(
  fields: DraftFields,
  own: Own,
): { values: Texts & { name: string | null; tags: string[]; style: Style | null } } | Refused {
  const read = readFields(fields, own);
  const [name, tags] = [readName(fields.name), readTags([fields.tags])];
  const style = readTypedStyle(fields.style);
  const refused: Record<string, MessageCode[]> = {
    ...('refused' in read && read.refused),
    ...('problem' in name && { name: [name.problem] }),
    ...('problem' in tags && { tags: [tags.problem] }),
    ...('refused' in style && style.refused),
  };
  if ('refused' in read || 'problem' in name || 'problem' in tags || 'refused' in style) return { refused };
  return { values: { ...read.values, ...name, ...tags, ...style } };
}

function readTypedStyle(typed: DraftFields['style']): { style: Style | null } | Refused {
  if (!typed) return { style: null };
  const { readyMade: _chosen, ...fields } = typed;
  const read = StyleInput.safeParse(styleOfFields(fields));
  if (read.success) return { style: read.data };
  const refused: Record<string, MessageCode[]> = {};
  for (const { path, message } of read.error.issues) refused[String(path[0])] = [message as MessageCode];
  return { refused };
}

/**
 * A stored content in the letters its owner knows it by. Links used to be stored encoded: `xn--` hosts and `%C3%A9`
 * become letters again wherever that changes nothing about where the link leads.
 */
export function shownContent({ type, content }: { type: CodeType; content: string }): string {
  if (type !== 'link' || !/xn--|%[c-f]/i.test(content)) return content;
  const [, before = '', host = '', rest = ''] = /^(https?:\/\/)([^/?#:]*)(.*)$/is.exec(content) ?? [];
  const unicode = domainToUnicode(host);
  const shown = `${before}${isHonestHost(unicode) ? unicode : host}${withLetters(rest)}`;
  return targetOf(shown) === targetOf(content) ? shown : content;
}

/** Escapes that stand for letters, digits and the marks on them; whatever has a meaning in an address stays. */
function withLetters(text: string): string {
  return text.replace(/(?:%[c-f][\da-f](?:%[89ab][\da-f])+)+/gi, (escaped) => {
    try {
      const letters = decodeURIComponent(escaped);
      return /^[\p{L}\p{M}\p{N}]+$/u.test(letters) ? letters : escaped;
    } catch {
      return escaped;
    }
  });
}
