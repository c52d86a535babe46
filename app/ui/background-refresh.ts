import { useFetchers, useRevalidator } from '@remix-run/react';
import { useCallback, useEffect, useState } from 'react';

/**
 * Answers what loads the page's data anew; while a form is being sent it waits. A loader may redirect, say from
 * something that was just deleted, and of two redirects the router follows the loader's.
 */
export function useBackgroundRefresh(): () => void {
  const { revalidate, state } = useRevalidator();
  const [isDue, setIsDue] = useState(false);
  const isSending = useFetchers().some(({ formMethod }) => formMethod !== undefined);
  useEffect(() => {
    if (!isDue || isSending || state !== 'idle') return;
    setIsDue(false);
    revalidate();
  }, [isDue, isSending, state, revalidate]);
  return useCallback(() => setIsDue(true), []);
}
