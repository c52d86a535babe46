import '~/styles/settings.css';
import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { findPasskeys, handleRemoval } from '~/account/passkeys.server';
import { SignInRemoval } from '~/account/sign-in-removal';
import { requireUser } from '~/http/guards.server';

export const handle = { page: 'settings:passkeys.removal' };

export async function loader({ request, context, params }: LoaderFunctionArgs) {
  const { token } = await requireUser(request);
  const passkeys = await findPasskeys({ request, context }, token);
  const passkey = passkeys.find(({ id }) => id === params.id);
  if (!passkey) throw data(null, { status: 404 });
  return passkey;
}

export async function action({ request, context, params }: ActionFunctionArgs) {
  const { token } = await requireUser(request);
  return handleRemoval({ request, context }, token, params.id ?? '');
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function RemovePasskeyPage() {
  const { id, name } = useLoaderData<typeof loader>();
  return (
    <SignInRemoval
      id="passkey"
      texts="passkeys.removal"
      name={name}
      action={`/user/settings/passkeys/${id}`}
      cancelTo="/user/settings/passkeys"
    />
  );
}
