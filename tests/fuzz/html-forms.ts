import type { Fields, Kind } from './bodies';
import { FilePart } from './schema-values';

/** What a browser sends if no file was chosen. */
const NO_FILE = new FilePart('', 'application/octet-stream', Buffer.alloc(0));

export interface Form {
  method: string;
  /** URL that the form is sent to; empty for the page itself. */
  action: string;
  kind: Kind;
  fields: Fields;
}

/** The forms of a page rendered by our website, with the values that their controls would submit as is. */
export function formsIn(html: string): Form[] {
  return [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, tag = '', content = '']) => {
    const { method = 'get', action = '', enctype = '', id } = attributesOf(tag);
    const outside = id ? elementsIn(html).filter((element) => element.form === id) : [];
    return {
      method: method.toUpperCase(),
      action,
      kind: enctype === 'multipart/form-data' ? 'multipart' : 'urlencoded',
      fields: [...elementsIn(content), ...outside].flatMap(
        ({ name, value, type }): Fields =>
          name === undefined
            ? []
            : [[name, type === 'file' ? NO_FILE : (value ?? (type === 'checkbox' ? 'on' : ''))]],
      ),
    };
  });
}

function elementsIn(html: string): Record<string, string | undefined>[] {
  const inputs = [...html.matchAll(/<(?:input|button|textarea)\b([^>]*)>/g)].map(([, tag = '']) =>
    attributesOf(tag),
  );
  const selects = [...html.matchAll(/<select\b([^>]*)>([\s\S]*?)<\/select>/g)].map(
    ([, tag = '', options = '']) => {
      const chosen = /<option\b([^>]*\bselected[^>]*)>/.exec(options) ?? /<option\b([^>]*)>/.exec(options);
      return { ...attributesOf(tag), value: attributesOf(chosen?.[1] ?? '').value };
    },
  );
  return [...inputs, ...selects];
}

function attributesOf(tag: string): Record<string, string | undefined> {
  return Object.fromEntries(
    [...tag.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)].map(([, name, value = '']) => [name, decode(value)]),
  );
}

function decode(text: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
  return text
    .replace(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&(amp|lt|gt|quot);/g, (_, name) => named[name] ?? '');
}
