import { expect, test } from 'vitest';
import { CheckboxField, Field, type FieldMeta, SelectField, TextArea } from '~/ui/field';
import { PasswordField } from '~/ui/password-field';
import { RadioGroup } from '~/ui/radio-group';
import { rendered, tagWith } from './rendered';

const email: FieldMeta = {
  id: 'login-email',
  name: 'email',
  initialValue: 'ada@example.com',
  required: true,
};
const options = [
  { value: 'monthly', label: 'Monthly', hint: 'Each month' },
  { value: 'yearly', label: 'Yearly', badge: 'cheaper' },
];

test('a field without a hint or error refers to neither and is not marked invalid', () => {
  const input = tagWith(
    rendered(<Field field={email} label="E-mail" type="email" />),
    'input',
    'login-email',
  );
  expect(input).toContain('value="ada@example.com"');
  expect(input).toContain('required=""');
  expect(input).not.toContain('aria-describedby');
  expect(input).not.toContain('aria-invalid');
});

test('hint and error describe the input, the hint first', () => {
  const html = rendered(<Field field={email} label="E-mail" hint="As ordered" error="Enter an address." />);
  const input = tagWith(html, 'input', 'login-email');
  expect(input).toContain('aria-describedby="login-email-hint login-email-error"');
  expect(input).toContain('aria-invalid="true"');
  expect(tagWith(html, 'p', 'login-email-hint')).toBeTruthy();
  expect(html).toMatch(/id="login-email-error".*Error: <\/span>Enter an address\./);
});

test('the label names its control and states if it is optional', () => {
  const html = rendered(<Field field={{ ...email, required: undefined }} label="E-mail" optional />);
  expect(html).toContain('<label for="login-email">E-mail<span class="optional"> (optional)</span></label>');
  expect(tagWith(html, 'input', 'login-email')).not.toContain('required');
});

test('text area and select keep their input', () => {
  const area = rendered(<TextArea field={{ ...email, initialValue: 'Dear all' }} label="Message" />);
  expect(area).toContain('>Dear all</textarea>');
  const select = rendered(
    <SelectField field={{ ...email, initialValue: 'yearly' }} label="Period" options={options} />,
  );
  expect(select).toContain('<option value="yearly" selected="">');
});

test('a box is checked when its own value was sent before', () => {
  const box = (initialValue?: string) =>
    rendered(<CheckboxField field={{ ...email, initialValue }} label="Remember" />);
  expect(tagWith(box('on'), 'input', 'checkbox')).toContain('checked=""');
  expect(tagWith(box(), 'input', 'checkbox')).not.toContain('checked');
});

test('a password is never sent back, and its button appears only with scripts', () => {
  const html = rendered(<PasswordField field={{ ...email, initialValue: 'secret' }} label="Password" />);
  expect(html).not.toContain('secret');
  expect(html).not.toContain('<button');
});

test('the first radio has the id of the group, so that a link to the field focuses it', () => {
  const field = { ...email, id: 'plan', name: 'plan', initialValue: 'yearly' };
  const html = rendered(<RadioGroup field={field} legend="Period" options={options} error="Choose one." />);
  const first = tagWith(html, 'input', 'value="monthly"');
  expect(first).toContain('id="plan"');
  expect(first).toContain('aria-describedby="plan-about"');
  expect(first).not.toContain('checked');
  expect(tagWith(html, 'input', 'value="yearly"')).toMatch(/id="plan-yearly".*checked=""/);
  expect(tagWith(html, 'fieldset', 'field')).toContain('aria-describedby="plan-error"');
});

test('an option that is coming soon cannot be chosen', () => {
  const soon = [...options, { value: 'video', label: 'Video', disabled: true, badge: 'coming soon' }];
  const html = rendered(<RadioGroup field={email} legend="Type" options={soon} layout="tiles" />);
  expect(tagWith(html, 'input', 'value="video"')).toContain('disabled=""');
  expect(html).toContain('<span class="badge"> coming soon</span>');
});
