import { expect, test } from 'vitest';
import { useErrorTexts } from '~/ui/form-errors';
import { rendered } from './rendered';

interface ShownProps {
  errors: Record<string, string[]>;
  names?: string[];
  namespace?: string;
}

function Shown({ errors, names, namespace = 'common' }: ShownProps) {
  const { message, summary } = useErrorTexts(namespace, { id: 'form', allErrors: errors, fields: {} }, names);
  return <p>{JSON.stringify({ message: message(errors.email) ?? null, summary })}</p>;
}

function textsOf(errors: Record<string, string[]>, names: string[] = [], namespace = 'common') {
  return JSON.parse(
    rendered(<Shown errors={errors} names={names} namespace={namespace} />).replace(
      /<\/?p>|&quot;/g,
      (tag) => (tag === '&quot;' ? '"' : ''),
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

test('a text of several fields has the label of each before it in the summary', () => {
  const text = 'Enter an e-mail address such as name@example.com.';
  const errors = { workEmail: ['email_invalid'], homeEmail: ['email_invalid'], note: ['note_too_long'] };
  const { summary } = textsOf(errors, ['workEmail', 'homeEmail', 'note'], 'design');
  expect(summary.slice(0, 2)).toEqual([
    { field: 'form-workEmail', text: `E-mail at work – ${text}` },
    { field: 'form-homeEmail', text: `Private e-mail – ${text}` },
  ]);
  expect(summary[2].text).not.toContain('–');
});
