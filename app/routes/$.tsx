import { data } from '@remix-run/node';

// Without a matching route, not even root's loader would run, and the error page would not know its language.
export async function loader() {
  throw data(null, { status: 404 });
}

export async function action() {
  throw data(null, { status: 404 });
}

export { shouldRevalidate } from '~/ui/form-route';

export default function UnknownPage() {
  return null;
}
