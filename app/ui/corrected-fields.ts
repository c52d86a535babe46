import { useEffect, useState } from 'react';

type Errors = Record<string, string[]>;

/** By the name of a control: the fields whose errors are answered as well when it changes, beside its own. */
export type Related = Partial<Record<string, readonly string[]>>;

/**
 * The errors of the last answer that still stand: that of a field goes with the first change of it, as nobody has
 * judged what it holds now. What is about the whole form stays until the next answer.
 */
export function useStandingErrors(
  id: string,
  answer: unknown,
  errors: Errors,
  related: Related = {},
): Errors {
  const [changed, setChanged] = useState({ answer, names: [] as string[] });
  const names = changed.answer === answer ? changed.names : [];
  const standing = Object.fromEntries(Object.entries(errors).filter(([name]) => !names.includes(name)));

  useEffect(() => {
    function onInput({ target }: Event) {
      const { form, name = '' } = target as Partial<HTMLInputElement>;
      if (form?.id !== id) return;
      const settled = [name, ...(related[name] ?? [])].filter((field) => field !== '' && field in standing);
      if (settled.length > 0) setChanged({ answer, names: [...names, ...settled] });
    }
    document.addEventListener('input', onInput);
    return () => document.removeEventListener('input', onInput);
  });
  return standing;
}
