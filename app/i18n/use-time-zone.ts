import { useRouteLoaderData } from '@remix-run/react';

/** The zone that whoever is signed in is told moments in, as the statistics are. */
export function useTimeZone(): string {
  const root = useRouteLoaderData('root') as { user?: { timeZone: string } | null } | undefined;
  return root?.user?.timeZone ?? 'UTC';
}
