import type { ActionFunctionArgs } from '@remix-run/node';
import { z } from 'zod';
import { DraftFields } from '#contract/drafts';
import { PresetFile } from '#contract/logo-choice';
import { checkLook } from '~/codes/look/look.server';
import { drawnStyleOf } from '~/codes/look/look-input';
import { wasDrawingKilled } from '~/codes/pictures/drawing-pool.server';
import { requireSameOrigin } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { examinePreview } from './preview.server';

const BODY_LIMIT = 16 * 1024;

const ReceiptRequest = z.object({
  fields: DraftFields,
  useWhiteBackground: z.boolean(),
  preset: z.union([PresetFile, z.uuid()]).optional(),
  draft: z.uuid().optional(),
  isPrinted: z.boolean().default(false),
});

/**
 * Decoding results and grade of a design, requested by the live preview, which has no decoders of its own.
 */
export async function action(args: ActionFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    requireSameOrigin(scope.request);
    if (Number(scope.request.headers.get('content-length') ?? BODY_LIMIT + 1) > BODY_LIMIT) {
      return Response.json(null, { status: 413 });
    }
    const posted = ReceiptRequest.safeParse(await scope.request.json().catch(() => null));
    if (!posted.success) return Response.json(null, { status: 400 });
    const { fields, useWhiteBackground, preset, draft, isPrinted } = posted.data;
    // The look's fields show why it is refused, which a grade would contradict.
    if (fields.style && checkLook(fields.style).length > 0) return Response.json(null);
    const style = fields.style && drawnStyleOf(fields.style);
    const design = { ...fields, style, useWhiteBackground, isPrinted };
    const examination = await examinePreview(scope, design, { preset, draft }).catch((thrown: unknown) => {
      // The page then leaves the receipt line empty.
      if (wasDrawingKilled(thrown)) return null;
      throw thrown;
    });
    return Response.json(examination);
  });
}
