import '~/styles/settings.css';
import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { findGoogleAccount, removeGoogleAccount } from '~/account/sign-in/google.server';
import { requireUser } from '~/http/guards.server';
import { SignInRemoval } from './sign-in-removal';

export const handle = { page: 'settings:google' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const identity = await findGoogleAccount(scope, params.id);
  if (!identity) throw data(null, { status: 404 });
  return identity;
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return removeGoogleAccount(await requireUser(args), params.id ?? '');
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function RemoveGooglePage() {
  const { id, email, hasSecondFactor } = useLoaderData<typeof loader>();
  return (
    <SignInRemoval
      id="google"
      texts="google"
      name={email}
      action={`/user/settings/google/${id}`}
      cancelTo="/user/settings"
      hasSecondFactor={hasSecondFactor}
    />
  );
}
