import { z } from 'zod';
import { Id } from '#contract/call';
import { FileVariant } from '#contract/code-files';
import { Code, updateCode } from '#contract/codes';
import { createPublicCode, listPublicCodes } from '#contract/public-codes';
import { getStatistics, Statistics } from '#contract/statistics';
import { strictly } from '#contract/strictly';
import { askHost } from '~/http/host.server';
import { problemResponse } from '~/http/problem.server';
import type { UserScope } from '~/http/scope.server';
import { type Answer, Drawn, drawForAssistant, PICTURE_WIDTHS } from './drawn.server';
import { unknownField } from './file-of-program.server';

export interface Tool {
  name: string;
  title: string;
  /** For the assistant, in plain English. */
  description: string;
  /** `destructive`: what was there before is replaced. */
  effect: 'reads' | 'adds' | 'destructive';
  input: z.ZodType;
  output: z.ZodType;
  /** Returns a refusal as the API gives it, a problem document. */
  act(scope: UserScope, input: Record<string, unknown>): Promise<Answer | Response>;
}

const FoundCode = Code.pick({
  id: true,
  name: true,
  tags: true,
  type: true,
  content: true,
  link: true,
  visibility: true,
  dynamic: true,
  createdAt: true,
  archivedAt: true,
  visits: true,
});
const MadeCode = FoundCode.extend(Code.pick({ scanLink: true, counted: true }).shape);
const StyledCode = FoundCode.extend(Code.pick({ style: true, logo: true }).shape);

const FoundCodes = z.object({
  codes: z.array(FoundCode),
  nextCursor: z.string().nullable().describe('Send it as `cursor` for the next part; null in the last.'),
});

const Figures = Statistics.pick({
  period: true,
  asOf: true,
  code: true,
  tag: true,
  campaign: true,
  uncounted: true,
  figures: true,
  mostActive: true,
  trend: true,
  devices: true,
  languages: true,
  countries: true,
});

const id = Id.describe('The id of the code, from find_codes or create_code.');
const { style, logo, ...changeable } = updateCode.body.shape;
const IdempotencyKey = z
  .string()
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/)
  .describe(
    'A text of your own for this code, such as `menu-table-7`: if the answer to a call got lost, the same call with the same key, within 24 hours, makes no second code.',
  );

export const TOOLS: readonly Tool[] = [
  {
    name: 'find_codes',
    title: 'Find QR codes',
    description:
      'Lists the QR codes of the account, newest first, or those that match a text, a tag, a campaign or a type. Use it to get the id of a code before you change, draw or count it.',
    effect: 'reads',
    input: listPublicCodes.query,
    output: FoundCodes,
    act: find,
  },
  {
    name: 'create_code',
    title: 'Create a QR code',
    description:
      'Makes a QR code. `type` says which fields count: a link has `content` (a web address), a text `content`, an e-mail `content`, `subject` and `body`, a Wi-Fi `ssid`, `passphrase` and `security`, a contact names, numbers and addresses, an event `eventTitle`, dates and `venue`. What a printed code leads to can be changed later, except of Wi-Fi. Each call makes another code, except one that repeats an earlier call with the same `idempotencyKey`: look with find_codes whether there is one already. Show it with draw_code.',
    effect: 'adds',
    input: createPublicCode.body.safeExtend({ idempotencyKey: IdempotencyKey.optional() }),
    output: MadeCode,
    act: create,
  },
  {
    name: 'restyle_code',
    title: 'Change how a QR code looks',
    description:
      'Gives a code other shapes, colours, a frame with a caption, or another logo. `style` replaces the whole look; fields left out get their default, and null is dark squares on white. Printed copies keep working. Call draw_code afterwards: it says how well scanners read the look.',
    effect: 'destructive',
    input: strictly(z.object({ id, style, logo })),
    output: StyledCode,
    act: restyle,
  },
  {
    name: 'change_code',
    title: 'Change a QR code',
    description:
      'Changes where a code leads, also of copies that are printed already, or its name, tags or visibility; archives it; pauses it, ends it, or routes its visitors by rules. Fields left out stay as they are. The history of the code keeps what it was before. Ask the owner before you change where a code leads.',
    effect: 'destructive',
    input: strictly(z.object({ id, ...changeable })),
    output: MadeCode,
    act: (scope, input) => change(scope, input, MadeCode),
  },
  {
    name: 'read_figures',
    title: 'Read figures of visits',
    description:
      'Counts the visits of a period: of all codes, of one (`code` is its id), or of those with a `tag`. Give either `period` in days or `from` and `to`. Every figure names its definition; null means that it cannot be measured. Needs a running subscription.',
    effect: 'reads',
    input: strictly(getStatistics.body),
    output: Figures,
    act: (scope, body) => answerOf(Figures, askHost(scope, getStatistics, { body }), dataOf),
  },
  {
    name: 'draw_code',
    title: 'Draw a QR code',
    description: `Returns the picture of a code as PNG, and how well three decoders read it. There is no picture of a code that they do not read; the answer then says what would help. For print, its owner downloads an SVG or a PDF from the page of the code.`,
    effect: 'reads',
    input: z.strictObject({
      id,
      size: z
        .int()
        .min(PICTURE_WIDTHS.least)
        .max(PICTURE_WIDTHS.most)
        .default(PICTURE_WIDTHS.usual)
        .describe(
          `Width and height of the picture with its quiet zone, in pixels: ${PICTURE_WIDTHS.least} to ${PICTURE_WIDTHS.most}, ${PICTURE_WIDTHS.usual} if absent.`,
        ),
      variant: FileVariant.describe(
        '`direct` holds the content itself, which can be neither changed nor counted.',
      ),
    }),
    output: Drawn,
    act: drawForAssistant,
  },
];

/** The host gets parameters of an address, where null and objects would be texts to look for. */
async function find(scope: UserScope, query: Record<string, unknown>): Promise<Answer | Response> {
  const message = 'Send one value, or leave it out.';
  const errors = Object.entries(query)
    .filter(([, value]) => typeof value === 'object')
    .map(([name]) => ({ pointer: `?${name}`, code: 'invalid', message }));
  if (errors.length > 0) return problemResponse(scope, 'invalid', { errors });
  return answerOf(FoundCodes, askHost(scope, listPublicCodes, { query }), ({ data, nextCursor }) => ({
    codes: data,
    nextCursor,
  }));
}

async function create(
  scope: UserScope,
  { idempotencyKey, ...body }: Record<string, unknown>,
): Promise<Answer | Response> {
  const key = IdempotencyKey.optional().safeParse(idempotencyKey);
  if (!key.success) {
    const [pointer, code] = ['/idempotencyKey', 'idempotency_key_invalid'];
    const message = 'Send 1 to 255 letters, digits or other signs of ASCII, without quotes and backslashes.';
    return problemResponse(scope, 'invalid', { errors: [{ pointer, code, message }] });
  }
  const headers: Record<string, string> = key.data === undefined ? {} : { 'Idempotency-Key': key.data };
  return answerOf(MadeCode, askHost(scope, createPublicCode, { body, headers }), dataOf);
}

/** Without what else the call of the host would change. */
async function restyle(scope: UserScope, input: Record<string, unknown>): Promise<Answer | Response> {
  const unknown = Object.keys(input).filter((name) => !['id', 'style', 'logo'].includes(name));
  if (unknown.length === 0) return change(scope, input, StyledCode);
  const errors = unknown.map((name) => unknownField(`/${name}`));
  return problemResponse(scope, 'invalid', { errors });
}

function change(
  scope: UserScope,
  { id, ...body }: Record<string, unknown>,
  output: typeof MadeCode | typeof StyledCode,
): Promise<Answer | Response> {
  return answerOf(output, askHost(scope, updateCode, { params: { id: String(id) }, body }), dataOf);
}

interface Body {
  data: unknown;
  nextCursor?: string | null;
}

function dataOf({ data }: Body): unknown {
  return data;
}

/** Of the answer of the host, what the tool hands on. */
async function answerOf(
  output: z.ZodType<Record<string, unknown>>,
  asked: Promise<Response>,
  select: (body: Body) => unknown,
): Promise<Answer | Response> {
  const answer = await asked;
  return answer.ok ? { data: output.parse(select(await answer.json())) } : answer;
}
