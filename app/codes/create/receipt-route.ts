import type { ActionFunctionArgs } from '@remix-run/node';
import { z } from 'zod';
import { DraftFields } from '#contract/drafts';
import { PresetFile } from '#contract/logo-choice';
import { drawnStyleOf } from '~/codes/look/look-input';
import type { Findings } from '~/codes/look/scan-report';
import { wasDrawingKilled } from '~/codes/pictures/drawing-pool.server';
import { readForm } from '~/http/form.server';
import { requireSameOrigin } from '~/http/guards.server';
import { HostError } from '~/http/host-error.server';
import type { Scope } from '~/http/scope.server';
import { withVisitorCookie } from '~/http/visitor.server';
import { orErrorPage } from '~/site/error-response.server';
import { keepFields } from './drafts.server';
import { examinePreview, problemOf, problemText } from './preview.server';

const DESIGN_LIMIT = 16 * 1024;

const PostedDesign = z.object({
  fields: DraftFields,
  useWhiteBackground: z.boolean(),
  preset: z.union([PresetFile, z.uuid()]).optional(),
  draft: z.uuid().optional(),
  isPrinted: z.boolean().default(false),
});
type PostedDesign = z.infer<typeof PostedDesign>;

/**
 * What is found in a design, for the live preview, which has no decoders of its own: why it would be refused, or else
 * its decoding results. A logo that comes with it is kept in a draft, which later requests name.
 */
export async function action(args: ActionFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    requireSameOrigin(scope.request);
    const form = await readForm(scope, ['design', 'logo'], { maxParts: 2, maxFiles: 1 });
    const design = designIn(form.get('design'));
    if (!design) return Response.json(null, { status: 400 });
    const logo = form.get('logo');
    if (!(logo instanceof File)) return Response.json(await findIn(scope, design));
    return withVisitorCookie(Response.json(await findWithLogo(scope, design, logo)), scope.visitor);
  });
}

function designIn(text: FormDataEntryValue | null): PostedDesign | null {
  if (typeof text !== 'string' || text.length > DESIGN_LIMIT) return null;
  try {
    return PostedDesign.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

async function findWithLogo(scope: Scope, design: PostedDesign, logo: File) {
  try {
    const { id: draft } = await keepFields(scope, design.fields, { logo });
    return { draft, ...(await findIn(scope, { ...design, draft })) };
  } catch (thrown) {
    const [refused] = thrown instanceof HostError ? (thrown.errors.logo ?? []) : [];
    if (refused === undefined) throw thrown;
    return { problem: problemText(scope, refused) };
  }
}

async function findIn(scope: Scope, design: PostedDesign): Promise<Findings> {
  const { fields, preset, draft, ...others } = design;
  const problem = problemOf(scope, { ...fields, isPrinted: others.isPrinted }, fields.style);
  if (problem) return { problem };
  const style = fields.style && drawnStyleOf(fields.style);
  try {
    const examination = await examinePreview(scope, { ...fields, ...others, style }, { preset, draft });
    return examination ? { examination } : {};
  } catch (thrown) {
    // The page then says nothing about the drawing.
    if (wasDrawingKilled(thrown)) return {};
    throw thrown;
  }
}
