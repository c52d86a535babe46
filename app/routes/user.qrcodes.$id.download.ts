import type { LoaderFunctionArgs } from '@remix-run/node';
import { getCode, nameOf } from '~/codes/codes.server';
import { isDirect, makeDownload } from '~/codes/downloads.server';
import { wasDrawingKilled } from '~/codes/drawing-pool.server';
import { readFileChoice } from '~/codes/file-choice.server';
import { fileNameOf } from '~/codes/file-name.server';
import { CodeTooLongError } from '~/codes/pictures/code-image';
import { CaptionError, PoorGradeError, UnreadableCodeError } from '~/codes/pictures/unreadable-code';
import { redirectWithFlash } from '~/http/flash.server';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-answer.server';

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  return orErrorPage({ request, context }, async () => {
    const { token } = await requireUser(request);
    const { code } = await getCode({ request, context }, params.id, token);
    const back = `/user/qrcodes/${code.id}`;
    const choice = readFileChoice(new URL(request.url).searchParams);
    if ('notice' in choice) return redirectWithFlash(back, choice.notice);
    const { format, size, variant } = choice;
    const name = fileNameOf({ name: nameOf(code), isDirect: isDirect(code, variant), format, size });
    try {
      const file = await makeDownload({ request, context }, code, token, choice);
      return new Response(file.bytes, {
        headers: {
          'Content-Type': file.contentType,
          'Content-Disposition': `attachment; filename="${name}"`,
          'Content-Length': String(file.bytes.byteLength),
          'Cache-Control': 'private, no-store',
          'Content-Security-Policy': "default-src 'none'; img-src data:; sandbox",
        },
      });
    } catch (thrown) {
      if (thrown instanceof UnreadableCodeError) {
        return redirectWithFlash(back, { type: 'error', key: 'download_unreadable', persistent: true });
      }
      if (thrown instanceof PoorGradeError) {
        return redirectWithFlash(back, { type: 'error', key: 'download_grade', persistent: true });
      }
      if (thrown instanceof CaptionError) {
        return redirectWithFlash(back, { type: 'error', key: 'download_caption', persistent: true });
      }
      if (thrown instanceof CodeTooLongError || thrown instanceof RangeError) {
        return redirectWithFlash(back, { type: 'error', key: 'download_size', persistent: true });
      }
      if (wasDrawingKilled(thrown)) {
        return redirectWithFlash(back, { type: 'error', key: 'download_given_up', persistent: true });
      }
      throw thrown;
    }
  });
}
