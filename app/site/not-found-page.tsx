import { data, type LoaderFunctionArgs, redirect } from '@remix-run/node';
import { safePath } from '~/http/safe-path';
import { readScope } from '~/http/scope.server';

/** Redirects a path in capital letters to the page of that name, unknown or not. */
export async function loader(args: LoaderFunctionArgs) {
  const scope = await readScope(args);
  const { pathname, search } = scope.url;
  const lower = safePath(pathname.toLowerCase() + search, pathname + search);
  if (lower !== pathname + search) throw redirect(lower, 301);
  // Without a matching route, not even root's loader would run, and the error page would not know its language.
  throw data(null, { status: 404 });
}

export async function action() {
  throw data(null, { status: 404 });
}

export { shouldRevalidate } from '~/ui/form-route';

export default function UnknownPage() {
  return null;
}
