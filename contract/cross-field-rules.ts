import type { z } from 'zod';

/** Arguments of zod's `refine`. */
type Rule = [
  holds: (form: unknown) => boolean,
  refusal: {
    path: string[];
    error: (issue: { input?: unknown }) => string | undefined;
    when: (payload: { value: unknown }) => boolean;
  },
];

/**
 * Makes rules that look at several fields, those of `Fields`, and report on one. A rule also runs when other fields are
 * invalid, so that all errors come at once; it does not while `Fields` cannot be read.
 */
export function crossFieldRules<Values extends object>(Fields: z.ZodType<Values>) {
  return (field: keyof Values & string, findProblem: (values: Values) => string | null): Rule => [
    (form) => findProblem(Fields.parse(form)) === null,
    {
      path: [field],
      error: ({ input }) => findProblem(Fields.parse(input)) ?? undefined,
      when: ({ value }) => Fields.safeParse(value).success,
    },
  ];
}
