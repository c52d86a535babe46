import { useFetcher, useLocation } from '@remix-run/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type FailureCode, failureOf, forDialog } from './form-route';
import { LoadFailure } from './notices';

/**
 * Loads the data of a page that opens as a dialog. `ask` requests it, again if called again; `loaded` is the
 * latest in the language of `tag`. If there is none, `onFailure` is called and `problem` shows why. `fail`
 * reports a failure of another part of the dialog, such as its script, in the same way.
 */
export function useDialogLoad<Load extends { tag: string }>(
  path: string,
  tag: string,
  onFailure: () => void,
) {
  const { load, data } = useFetcher<unknown>({ key: path });
  const { key } = useLocation();
  const [requested, setRequested] = useState<{ before: unknown } | null>(null);
  const [last, setLast] = useState<Load>();
  const [problem, setProblem] = useState<{ key: string; failure: FailureCode } | null>(null);
  const failure = failureOf(data);
  const newest = failure ? last : (data as Load | undefined);
  if (newest !== last) setLast(newest);
  const loaded = newest?.tag === tag ? newest : undefined;
  const hasResponse = requested !== null && data !== requested.before;

  const fail = useCallback(
    (failure: FailureCode) => {
      setProblem({ key, failure });
      onFailure();
    },
    [key, onFailure],
  );
  useEffect(() => {
    if (!hasResponse) return;
    setRequested(null);
    if (failure && !loaded) fail(failure);
  }, [hasResponse, failure, loaded, fail]);

  const opener = useRef<Element | null>(null);
  const ask = useCallback(() => {
    opener.current = document.activeElement;
    setRequested({ before: data });
    setProblem(null);
    load(forDialog(path));
  }, [data, load, path]);
  const shown = problem?.key === key && (
    <LoadFailure failure={problem.failure} opener={opener.current} onClose={() => setProblem(null)} />
  );
  return { ask, loaded, problem: shown, fail };
}
