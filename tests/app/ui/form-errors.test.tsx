import { expect, test } from 'vitest';
import { useErrorTexts } from '~/ui/form-errors';
import { rendered } from './rendered';

function Shown({ errors, names }: { errors: Record<string, string[]>; names?: string[] }) {
  const { message, summary } = useErrorTexts('common', { id: 'form', allErrors: errors }, names);
  return <p>{JSON.stringify({ message: message(errors.email) ?? null, summary })}</p>;
}

function textsOf(errors: Record<string, string[]>, names?: string[]) {
  return JSON.parse(
    rendered(<Shown errors={errors} {...(names && { names })} />).replace(/<\/?p>|&quot;/g, (tag) =>
      tag === '&quot;' ? '"' : '',
    ),
  );
}

test('each error code has its text at the field and in the summary', () => {
  const text = 'Enter your e-mail address.';
  expect(textsOf({ email: ['email_required'] })).toEqual({
    message: text,
    summary: [{ field: 'form-email', text }],
  });
});

test('a form-level error does not link to a field, and a code without a text gets a general one', () => {
  expect(textsOf({ '': ['never_heard_of'] }).summary).toEqual([{ text: 'Check this entry.' }]);
});

test('the summary lists form-level errors first, then the others in the order of their fields', () => {
  const errors = { confirm: ['invalid'], name: ['invalid'], email: ['email_required'], '': ['invalid'] };
  const { summary } = textsOf(errors, ['name', 'email', 'confirm']) as { summary: { field?: string }[] };
  expect(summary.map(({ field }) => field)).toEqual([undefined, 'form-name', 'form-email', 'form-confirm']);
});
