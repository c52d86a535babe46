import { redirectWithFlash } from '~/http/flash.server';
import type { RequestContext } from '~/http/scope.server';
import { getCode, nameOf } from './codes.server';
import { fileNoticeOf, isDirect, makeDownload } from './downloads.server';
import { readFileChoice } from './file-choice.server';
import { fileNameOf } from './file-name.server';

/**
 * Makes the requested file and returns what the decoders read from it, without the file. Throws a redirect to the
 * code's page if there can be no such file.
 */
export async function checkFile(requestContext: RequestContext, id: string | undefined, token: string) {
  const { code } = await getCode(requestContext, id, token);
  const back = `/user/qrcodes/${code.id}`;
  const choice = readFileChoice(new URL(requestContext.request.url).searchParams);
  if ('notice' in choice) throw await redirectWithFlash(back, choice.notice);
  try {
    const { bytes, receipt } = await makeDownload(requestContext, code, token, choice);
    const { format, size, variant } = choice;
    return {
      back,
      ...{ format, size, variant },
      fileName: fileNameOf({ name: nameOf(code), isDirect: isDirect(code, variant), format, size }),
      bytes: bytes.byteLength,
      ...{ readBack: receipt.readBack, readBy: receipt.readBy, readOn: receipt.readOn },
      scan: receipt.scan,
    };
  } catch (thrown) {
    const key = fileNoticeOf(thrown);
    if (!key) throw thrown;
    throw await redirectWithFlash(back, { type: 'error', key, persistent: true });
  }
}
