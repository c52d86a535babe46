import { and, desc, eq, inArray, isNull } from 'drizzle-orm';
import type { Campaign } from '#contract/campaign';
import { isRedirected } from '#contract/contents/contents';
import type { Retarget } from '#contract/jobs';
import { campaignProblem, campaignText, finalAddressOf } from '#host/codes/code/campaign';
import { tagLabels } from '#host/codes/code/tags';
import { displayedContent, type LinkRules, readContent } from '#host/codes/contents/contents';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import type { MessageCode } from '#host/http/errors';

type Retargeted = Pick<
  typeof codes.$inferSelect,
  'id' | 'number' | 'slug' | 'type' | 'name' | 'content' | 'subject' | 'body' | 'campaign' | 'routing'
> & { tags: string[] };
type NewValues = Partial<Pick<Retargeted, 'content' | 'subject' | 'body' | 'campaign'>>;

const COLUMNS = {
  id: codes.id,
  number: codes.number,
  slug: codes.slug,
  type: codes.type,
  name: codes.name,
  content: codes.content,
  subject: codes.subject,
  body: codes.body,
  campaign: codes.campaign,
  routing: codes.routing,
  tags: tagLabels,
};
const PAGE = 500;

/** What a code has after its address has changed, or a message code that says why it does not. */
export function retargetCode(
  code: Retargeted,
  retarget: Retarget,
  rules: LinkRules,
): { values: NewValues } | { reason: MessageCode } {
  if (!isRedirected(code.type)) return { reason: 'not_link' };
  const changed =
    retarget.kind === 'campaign' ? newCampaign(code, retarget.campaign) : newContent(code, retarget, rules);
  if ('reason' in changed) return changed;
  const problem = campaignProblem({ ...code, ...changed.values }, rules);
  return problem ? { reason: problem } : changed;
}

function newCampaign(code: Retargeted, campaign: Campaign | null) {
  const isSame = campaignText(campaign) === campaignText(code.campaign);
  return isSame ? { reason: 'retarget_unchanged' as const } : { values: { campaign } };
}

function newContent(
  code: Retargeted,
  retarget: Exclude<Retarget, { kind: 'campaign' }>,
  rules: LinkRules,
): { values: NewValues } | { reason: MessageCode } {
  const before = displayedContent(code);
  const content =
    retarget.kind === 'set' ? retarget.target : before.split(retarget.find).join(retarget.replacement);
  if (content === before) return { reason: 'retarget_unchanged' };
  const { subject, body } = code;
  const read = readContent(code.type, { content: content.trim(), subject, body }, rules);
  if ('refused' in read) return { reason: Object.values(read.refused).flat()[0] ?? 'content_invalid' };
  const after = displayedContent({ type: code.type, content: read.values.content });
  return after === before ? { reason: 'retarget_unchanged' } : { values: read.values };
}

/** Locked, so that what is replaced is what the code has now. */
export async function lockContent(orm: Orm, id: string): Promise<Retargeted | null> {
  const [code] = await orm
    .select(COLUMNS)
    .from(codes)
    .where(and(eq(codes.id, id), isNull(codes.deletedAt)))
    .for('update');
  return code ?? null;
}

interface Plan {
  /** Numbers of the codes that change, in the given order. */
  numbers: number[];
  /** Addresses; with their parameters if those change. */
  changes: { code: Retargeted; before: string; after: string }[];
  left: number;
  leftOut: { code: Retargeted; reason: string }[];
}

/** What would happen to the codes with these numbers; of those that change and those left out it lists the first few. */
export async function planRetarget(
  orm: Orm,
  accountId: string,
  numbers: readonly number[],
  { retarget, rules, listed }: { retarget: Retarget; rules: LinkRules; listed: number },
): Promise<Plan> {
  const plan: Plan = { numbers: [], changes: [], left: 0, leftOut: [] };
  for (let from = 0; from < numbers.length; from += PAGE) {
    const isWanted = inArray(codes.number, numbers.slice(from, from + PAGE));
    const page = await orm
      .select(COLUMNS)
      .from(codes)
      .where(and(eq(codes.accountId, accountId), isNull(codes.deletedAt), isWanted))
      .orderBy(desc(codes.number));
    for (const code of page) {
      const result = retargetCode(code, retarget, rules);
      if ('reason' in result) {
        plan.left += 1;
        if (plan.leftOut.length < listed) plan.leftOut.push({ code, reason: result.reason });
      } else {
        plan.numbers.push(code.number);
        if (plan.changes.length < listed) plan.changes.push({ code, ...addresses(code, result.values) });
      }
    }
  }
  return plan;
}

function addresses(code: Retargeted, values: NewValues): { before: string; after: string } {
  const shown =
    values.campaign === undefined ? displayedContent : (one: Retargeted) => finalAddressOf(one) ?? '';
  return { before: shown(code), after: shown({ ...code, ...values }) };
}
