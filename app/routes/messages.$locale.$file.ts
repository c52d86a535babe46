import type { LoaderFunctionArgs } from '@remix-run/node';
import { isLocale } from '~/i18n/locales';
import { messagesFile } from '~/i18n/messages.server';

/** Texts of a page for its script. The address changes with the texts, so a browser asks once. */
export async function loader({ params }: LoaderFunctionArgs) {
  const file = isLocale(params.locale) ? messagesFile(params.locale, params.file ?? '') : null;
  if (!file) return new Response(null, { status: 404 });
  return new Response(file.json, {
    headers: {
      'Content-Type': 'application/json',
      // An address of an earlier release gets the words of this one, and is not kept.
      'Cache-Control': file.isCurrent ? 'public, max-age=31536000, immutable' : 'no-store',
    },
  });
}
