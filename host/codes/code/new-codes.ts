import { setImmediate as nextTurn } from 'node:timers/promises';
import { SLUG_EXAMPLE } from '#contract/campaign';
import { type CodeType, refusalsOf } from '#contract/contents/contents';
import type { LogoChoice } from '#contract/logo-choice';
import { NewCode } from '#contract/public-codes';
import { type LinkRules, readFields } from '#host/codes/contents/contents';
import { readLogoChoice, requireLogo } from '#host/codes/logos/choice';
import { storedStyle } from '#host/codes/looks/store';
import type { Orm } from '#host/db/client';
import type { Caller } from '#host/http/caller';
import { ApiError, invalidField, type Mistake, mistakesOf } from '#host/http/errors';
import { parse } from '#host/http/parse-input';
import { DEFAULT_MAX_BYTES } from '#host/http/request-body';
import { requireCampaign } from './campaign';
import { requireCountable } from './change';
import type { NewDesign } from './create';
import { withTag } from './tags';

/** What the codes of a program are read with. */
interface Reading {
  orm: Orm;
  presets: ReadonlyMap<string, unknown>;
  rules: LinkRules;
  caller: Pick<Caller, 'accountId' | 'tag'>;
}

type ReadDesign = (entered: NewCode) => Promise<NewDesign>;

/** Most mistakes in the answer to a batch. */
const MISTAKES_AT_ONCE = 100;

/** Reads codes that a program wants to be made, and refuses every field that is wrong. */
export function createDesignReader({ orm, presets, rules, caller: { accountId, tag } }: Reading): ReadDesign {
  // Codes of a batch mostly have the same one.
  const logos = new Map<string, Awaited<ReturnType<typeof readLogoChoice>>>();

  async function readLogo(choice: LogoChoice) {
    const key = JSON.stringify(choice);
    const known = logos.get(key);
    if (known) return known;
    await requireLogo(orm, presets, accountId, choice);
    const read = await readLogoChoice(orm, accountId, choice);
    logos.set(key, read);
    return read;
  }

  return async (entered) => {
    const { type, name = null, visibility, counted, style } = entered;
    const { campaign = null, ...fields } = entered;
    const entries = entered.tags ?? [];
    const logo: LogoChoice = entered.logo ?? { kind: 'none' };
    const mistakes: Mistake[] = [];
    const gather = <T>(read: () => T | Promise<T>) => gatherMistakes(mistakes, '', read);
    const texts = await gather(() => readTexts(fields, rules));
    const tags = await gather(() => (tag ? withTag(entries, tag.label) : entries));
    const labels = { name, tags: tags ?? [], slug: SLUG_EXAMPLE };
    if (texts)
      await gather(() => requireCampaign({ type, ...texts, ...labels, campaign }, 'campaign', rules));
    await gather(() => requireVisible(type, visibility));
    if (!counted) await gather(() => requireCountable(type));
    const chosen = await gather(() => readLogo(logo));
    if (!texts || !tags || !chosen || mistakes.length > 0) throw new ApiError('invalid', { mistakes });
    const { logoName: _name, ...logoColumns } = chosen;
    const looks = { style: storedStyle(style), ...logoColumns };
    return { type, ...texts, name, tags, visibility, isCounted: counted, campaign, ...looks };
  };
}

/** Reads the codes of a batch, each in a turn of its own; refuses all of them if one is wrong. */
export async function readBatch(codes: readonly unknown[], read: ReadDesign): Promise<NewDesign[]> {
  const designs: NewDesign[] = [];
  const mistakes: Mistake[] = [];
  for (const [index, entered] of codes.entries()) {
    await nextTurn();
    const design = await gatherMistakes(mistakes, `/codes/${index}`, () => {
      // As a call for one code.
      if (Buffer.byteLength(JSON.stringify(entered)) > DEFAULT_MAX_BYTES)
        throw invalidField('', 'code_too_large');
      return read(parse(NewCode, entered, 'invalid'));
    });
    if (design) designs.push(design);
    if (mistakes.length >= MISTAKES_AT_ONCE) break;
  }
  if (mistakes.length === 0) return designs;
  throw new ApiError('invalid', { mistakes: mistakes.slice(0, MISTAKES_AT_ONCE) });
}

/** Undefined if it is refused, with what is wrong added to the mistakes. */
async function gatherMistakes<T>(
  mistakes: Mistake[],
  start: string,
  read: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.code !== 'invalid') throw thrown;
    const found = mistakesOf(thrown).map((mistake) => ({
      ...mistake,
      pointer: `${start}${mistake.pointer}`,
    }));
    mistakes.push(...found.slice(0, MISTAKES_AT_ONCE));
    return undefined;
  }
}

function readTexts(fields: Parameters<typeof readFields>[0], rules: LinkRules) {
  const read = readFields(fields, rules);
  if ('refused' in read) throw new ApiError('invalid', { fields: read.refused });
  return read.values;
}

function requireVisible(type: CodeType, visibility: NewCode['visibility']): void {
  const refusals = refusalsOf(type);
  if (refusals && visibility === 'private') throw invalidField('visibility', refusals.hide);
}
