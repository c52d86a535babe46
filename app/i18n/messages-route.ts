import type { LoaderFunctionArgs } from '@remix-run/node';
import { isLocale } from '#contract/locales';
import { messagesFile } from './messages.server';

/** Texts of a page for its scripts. The URL changes with the texts, so a browser requests it only once. */
export async function loader({ params }: LoaderFunctionArgs) {
  const file = isLocale(params.locale) ? messagesFile(params.locale, params.file ?? '') : null;
  if (!file) return new Response(null, { status: 404 });
  return new Response(file.json, {
    headers: {
      'Content-Type': 'application/json',
      // A URL of an earlier release gets the texts of this one, and is not cached.
      'Cache-Control': file.isCurrent ? 'public, max-age=31536000, immutable' : 'no-store',
    },
  });
}
