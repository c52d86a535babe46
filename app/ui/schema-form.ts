import { type SubmissionResult, useForm } from '@conform-to/react';
import { useArrivedErrors } from '~/i18n/use-arrived-messages';
import { type Related, useStandingErrors } from './corrected-fields';
import type { FieldMeta } from './field';

type Constraint = Partial<{
  required: boolean;
  minLength: number;
  maxLength: number;
  min: number | string;
  max: number | string;
  pattern: string;
}>;

/** The action's answer to a form: conform's result with the sentences of its message codes. */
export type LastResult =
  | (SubmissionResult<string[]> & { texts?: Record<string, string> | undefined })
  | null
  | undefined;

interface Options<Schema extends Record<string, unknown>> {
  id: string;
  /** The action's last answer. */
  lastResult: LastResult;
  defaultValue?: { [Name in keyof Schema]?: string | null | undefined };
  /** Rendered as attributes of the controls; what is allowed is decided by the server. */
  constraint?: { [Name in keyof Schema]?: Constraint };
  related?: Related;
}

/**
 * A form whose one judge is the server: nothing is checked in the browser and the form carries `novalidate`, so that
 * all errors speak with one voice in the user's language. Answers conform's form and, by name, its fields.
 */
export function useSchemaForm<Schema extends Record<string, unknown>>({
  id,
  lastResult,
  defaultValue,
  constraint,
  related,
}: Options<Schema>) {
  type Name = keyof Schema & string;
  useArrivedErrors(lastResult?.texts);
  const [form, metadata] = useForm<Record<Name, string>>({
    id,
    lastResult: lastResult ?? null,
    ...(defaultValue && { defaultValue: defaultValue as never }),
    ...(constraint && { constraint: constraint as never }),
    defaultNoValidate: true,
    shouldValidate: 'onSubmit',
  });
  const allErrors = useStandingErrors(id, lastResult, form.allErrors, related);
  // Conform's own objects come out empty from a spread such as `{ ...fields.email, required: true }`.
  const fields = new Proxy({} as Record<Name, FieldMeta>, {
    get: (_, name: string): FieldMeta => {
      const { id, initialValue, required } = metadata[name as Name] as FieldMeta;
      return { id, name, initialValue, errors: allErrors[name], required };
    },
  });
  const standing = new Proxy(form, {
    get: (target, name) => (name === 'allErrors' ? allErrors : Reflect.get(target, name)),
  });
  return [standing, fields] as const;
}
