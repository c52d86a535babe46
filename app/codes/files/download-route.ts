import type { LoaderFunctionArgs } from '@remix-run/node';
import { getCode } from '~/codes/code/codes.server';
import { redirectWithFlash } from '~/http/flash.server';
import { requireUser } from '~/http/guards.server';
import { orErrorPage } from '~/site/error-response.server';
import { pageOfChoice, readFileChoice } from './choice.server';
import { fileNoticeOf, makeDownload, namedFile } from './downloads.server';
import { fileNameOf } from './name.server';

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  return orErrorPage(args, async (scope) => {
    const user = await requireUser(scope);
    const { code } = await getCode(user, params.id);
    const back = pageOfChoice(code.id, scope.url);
    const choice = readFileChoice(scope.url.searchParams);
    if ('notice' in choice) return redirectWithFlash(back, choice.notice);
    const name = fileNameOf(namedFile(code, choice));
    try {
      const file = await makeDownload(user, code, choice);
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
      const key = fileNoticeOf(thrown);
      if (key) return redirectWithFlash(back, { type: 'error', key, persistent: true });
      throw thrown;
    }
  });
}
