import { type CodeType, type FieldName, linksOf } from '#contract/contents/contents';
import { targetOf } from '#contract/web-addresses';
import type { HostedType } from './hosted-type';

/** What is the same for all types whose content is several texts; files to import name one of these in each row. */
export function hostedParts(type: CodeType, named: FieldName[]): Partial<HostedType> {
  return {
    urls: (content) => linksOf({ type, content }).map(({ link }) => targetOf(link)),
    accepts: (cell) => cell === '' || isJson(cell),
    isStored: isJson,
    isMeant: (content, cellOf) => content === '' && named.some((field) => cellOf(field) !== ''),
  };
}

function isJson(cell: string): boolean {
  return cell.startsWith('{');
}

/** The address of a link, unless it is blocked. */
export function openable(link: string | undefined, blockedLinks: readonly string[]): string {
  const target = link ? targetOf(link) : '';
  return blockedLinks.includes(target) ? '' : target;
}

/** A name for a file that is safe on every system. */
export function fileName(text: string, fallback: string, ending: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/ß/g, 'ss').toLowerCase();
  const name = plain
    .replace(/[^a-z\d]+/g, '-')
    .slice(0, 60)
    .replace(/^-|-$/g, '');
  return `${name || fallback}.${ending}`;
}
