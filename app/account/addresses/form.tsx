import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { nativeLimits } from '~/account/native-limits';
import { Button, buttonClass } from '~/ui/button';
import { CheckboxField, Field, SelectField } from '~/ui/field';
import { Form, FormKey } from '~/ui/form';
import { useErrorTexts } from '~/ui/form-errors';
import { FormPage } from '~/ui/page-layouts';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';

type TextName =
  | 'street'
  | 'city'
  | 'state_region'
  | 'postal_code'
  | 'company_name'
  | 'vat_number'
  | 'siret_number';
type Name = TextName | 'country' | 'professional' | 'is_default';
type Fields = Record<Name, string>;

/** In page order. */
const NAMES: Name[] = [
  'street',
  'postal_code',
  'city',
  'state_region',
  'country',
  'company_name',
  'vat_number',
  'siret_number',
];

const COMPANY_FIELDS = ['company_name', 'vat_number', 'siret_number'];
/** Only companies fill in the company fields, and postcode rules depend on the country. */
const RELATED = { professional: COMPANY_FIELDS, country: ['postal_code', ...COMPANY_FIELDS] };

interface Props {
  /** Which heading texts to use. */
  page: 'new' | 'edit';
  address?: Record<TextName | 'country', string> & { professional: boolean; is_default: boolean };
  countries: { value: string; label: string }[];
  constraint: {
    [N in Name]?: { required?: boolean; minLength?: number; maxLength?: number; pattern?: string };
  };
  lastResult: LastResult;
  /** Idempotency key: a form posted twice adds one address. */
  formKey?: string;
}

/** Form to add or change a billing address. Ticking the company box shows the company fields. */
export function AddressForm({ page, address, countries, constraint, lastResult, formKey }: Props) {
  const { t } = useTranslation('settings');
  const [form, fields] = useServerValidatedForm<keyof Fields>({
    id: 'address',
    lastResult,
    defaultValue: address
      ? {
          ...address,
          professional: address.professional ? 'on' : '',
          is_default: address.is_default ? 'on' : '',
        }
      : {},
    // The schema requires these fields to be present, not the boxes to be ticked.
    constraint: { ...constraint, professional: {}, is_default: {} },
    related: RELATED,
  });
  const { control, summary } = useErrorTexts('settings', form, NAMES);
  const textOf = (name: TextName) => ({
    ...control(name),
    label: t(`address.${name}`),
    ...nativeLimits(constraint[name]),
  });
  return (
    <FormPage className="settings-page" title={t(`${page}.title`)} lead={t(`${page}.lead`)} errors={summary}>
      <Form {...form.props} className="form address-form">
        {formKey && <FormKey value={formKey} />}
        <Field {...textOf('street')} autoComplete="billing address-line1" />
        <Field {...textOf('postal_code')} className="narrow" autoComplete="billing postal-code" />
        <Field {...textOf('city')} autoComplete="billing address-level2" />
        <Field {...textOf('state_region')} autoComplete="billing address-level1" optional />
        <SelectField
          {...control('country')}
          label={t('address.country')}
          options={[{ value: '', label: t('address.choose') }, ...countries]}
          autoComplete="billing country"
        />
        <CheckboxField
          field={fields.professional}
          label={t('address.professional')}
          hint={t('address.professionalHint')}
        />
        <fieldset className="professional-fields">
          <legend>{t('address.company')}</legend>
          <Field {...textOf('company_name')} autoComplete="billing organization" />
          <Field {...textOf('vat_number')} hint={t('address.vatHint')} autoComplete="off" optional />
          <Field {...textOf('siret_number')} hint={t('address.siretHint')} autoComplete="off" optional />
        </fieldset>
        {address?.is_default ? (
          <p className="hint">{t('address.isDefault')}</p>
        ) : (
          <CheckboxField field={fields.is_default} label={t('address.is_default')} />
        )}
        <div className="actions">
          <Button>{t('address.submit')}</Button>
          <Link to="/user/settings#addresses" className={buttonClass('quiet')}>
            {t('common:form.cancel')}
          </Link>
        </div>
      </Form>
    </FormPage>
  );
}
