import '~/styles/settings.css';
import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { requireUser } from '~/http/guards.server';
import { ALL_PASSKEYS, findPasskeys, handleRemoval } from './passkeys.server';
import { SignInRemoval } from './sign-in-removal';

export const handle = { page: 'settings:passkeys.removal' };

export async function loader({ params, ...args }: LoaderFunctionArgs) {
  const scope = await requireUser(args);
  const { passkeys, hasSecondFactor } = await findPasskeys(scope);
  const removed = params.id === ALL_PASSKEYS ? passkeys : passkeys.filter(({ id }) => id === params.id);
  if (removed.length === 0) throw data(null, { status: 404 });
  return { id: params.id, names: removed.map(({ name }) => name), hasSecondFactor };
}

export async function action({ params, ...args }: ActionFunctionArgs) {
  return handleRemoval(await requireUser(args), params.id ?? '');
}

export { clientAction, shouldRevalidate } from '~/ui/form-route';

export default function RemovePasskeyPage() {
  const { id, names, hasSecondFactor } = useLoaderData<typeof loader>();
  return (
    <SignInRemoval
      id="passkey"
      texts={names.length > 1 ? 'passkeys.removalOfAll' : 'passkeys.removal'}
      name={names.join(', ')}
      action={`/user/settings/passkeys/${id}`}
      cancelTo="/user/settings/passkeys"
      hasSecondFactor={hasSecondFactor}
    />
  );
}
