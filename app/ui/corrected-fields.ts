import { useEffect, useState } from 'react';

type Errors = Record<string, string[]>;

/** By the name of a control: other fields whose errors disappear as well when it changes. */
export type Related = Partial<Record<string, readonly string[]>>;

/**
 * The errors of the last response that still apply: an error disappears with the first change to its field,
 * as the new value has not been validated. Errors of the whole form stay until the next response.
 */
export function useRemainingErrors(
  id: string,
  lastResult: unknown,
  errors: Errors,
  related: Related = {},
): Errors {
  const [changed, setChanged] = useState({ lastResult, names: [] as string[] });
  const names = changed.lastResult === lastResult ? changed.names : [];
  const remaining = Object.fromEntries(Object.entries(errors).filter(([name]) => !names.includes(name)));

  useEffect(() => {
    function onInput({ target }: Event) {
      const { form, name = '' } = target as Partial<HTMLInputElement>;
      if (form?.id !== id) return;
      const corrected = [name, ...(related[name] ?? [])].filter(
        (field) => field !== '' && field in remaining,
      );
      if (corrected.length > 0) setChanged({ lastResult, names: [...names, ...corrected] });
    }
    document.addEventListener('input', onInput);
    return () => document.removeEventListener('input', onInput);
  });
  return remaining;
}
