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
 * Creates rules that check several fields, those of `Fields`, and report an error on one. A rule also runs if
 * other fields are invalid, so that all errors are reported at once, but not if `Fields` cannot be parsed.
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
