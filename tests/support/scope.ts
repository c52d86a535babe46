import type { Scope, UserScope } from '~/http/scope.server';

/** The scope of a request that nothing has handled yet. */
export async function scopeOf(request = new Request('http://localhost/')): Promise<Scope> {
  // Imported only now, because tests set the environment first.
  const { readScope } = await import('~/http/scope.server');
  return readScope({ request, context: {} });
}

/** The scope of a request by a signed-in account. */
export async function userScopeOf({ token }: { token: string }, request?: Request): Promise<UserScope> {
  const user = { token, email: '', roles: [], isExpired: false };
  return Object.assign(await scopeOf(request), { user });
}
