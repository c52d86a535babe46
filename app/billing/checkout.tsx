import { Link, useNavigate } from '@remix-run/react';
import { type MouseEvent, type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { TextName } from '~/i18n/text-keys';
import { useBeforePaint } from '~/ui/before-paint';
import { Button } from '~/ui/button';
import { useCaptcha } from '~/ui/captcha';
import { DefinitionList } from '~/ui/definition-list';
import { CheckboxField, EmailField, Field, SelectField } from '~/ui/field';
import { Form, FormKey } from '~/ui/form';
import { ErrorSummary, useErrorTexts } from '~/ui/form-errors';
import { Icon } from '~/ui/icon';
import { PageHeading, Sheet } from '~/ui/page-layouts';
import { PhoneFrame } from '~/ui/phone-frame';
import { isPlainClick } from '~/ui/plain-click';
import { captureFields } from '~/ui/restored-fields';
import { type LastResult, useServerValidatedForm } from '~/ui/server-validated-form';
import type { CheckoutData } from './checkout.server';
import { LowerPrice } from './lower-price';

type TextFieldName = 'name' | 'email' | 'address' | 'zip_code' | 'city' | 'company' | 'siret' | 'vat_number';
type Name = TextFieldName | 'country' | 'professional' | 'terms' | 'waiver';

const FIELDS = 'name email address zip_code city country company siret vat_number terms waiver'.split(' ');

const BUSINESS_FIELDS = ['company', 'siret', 'vat_number'];
/** Only companies fill in the company fields, and postcode rules depend on the country. */
const RELATED = { professional: BUSINESS_FIELDS, country: ['zip_code', ...BUSINESS_FIELDS] };

interface CheckoutPageProps extends Omit<CheckoutFormProps, 'action'> {
  /** Path of the page of a plan, to which its form also posts. */
  pathOf: (plan: string) => string;
  /** The drawing of the draft; nothing if there is none or it cannot be drawn. */
  picture: ReactNode;
  /** Why the design cannot become a code yet, as a sentence. */
  problem: string | null | undefined;
}

/** The page of an order; its form is `order`. */
export function CheckoutPage({ pathOf, picture, problem, ...form }: CheckoutPageProps) {
  const { t } = useTranslation('billing');
  const { slug, other, features, firstCharge } = form.data;
  return (
    <div className="page checkout">
      <PageHeading title={t('checkout.heading')} lead={t(firstCharge ? 'checkout.lead' : 'checkout.leadNow')}>
        <PlanSwitchButton form="order" to={pathOf(other.slug)}>
          {t(`checkout.other.${other.slug}`, { price: other.price })}
        </PlanSwitchButton>
      </PageHeading>
      <div>
        <CheckoutForm {...form} action={pathOf(slug)} />
      </div>
      <OrderAside features={features} picture={picture} problem={problem} />
    </div>
  );
}

interface CheckoutFormProps {
  data: CheckoutData;
  /** Path the form posts to. */
  action: string;
  countries: { value: string; label: string }[];
  lastResult: LastResult;
  /** The price that the page showed before, if the order was only refused because it has become lower. */
  higherPrice: string | null | undefined;
  /** The account that orders, when signed in. */
  account?: { email: string };
}

/** All fields of an order and all information required before it, on one page, the button last. */
function CheckoutForm({ data, action, countries, lastResult, higherPrice, account }: CheckoutFormProps) {
  const { t } = useTranslation('billing');
  const robot = useCaptcha(data.captcha, 'subscribe');
  const [form, fields] = useServerValidatedForm<Name>({
    id: 'order',
    lastResult,
    defaultValue: data.known,
    related: RELATED,
  });
  const { message, summary } = useErrorTexts('billing', form, FIELDS);
  const textOf = (name: TextFieldName) => ({
    field: { ...fields[name], required: !['zip_code', 'siret', 'vat_number'].includes(name) },
    label: t(`checkout.${name}`),
    error: message(fields[name].errors),
  });
  return (
    <>
      {higherPrice ? (
        <LowerPrice price={data.price} shown={higherPrice} />
      ) : (
        <ErrorSummary errors={summary} />
      )}
      <Form action={action} {...form.props} prepare={robot.prepare} className="form checkout-form">
        <FormKey value={data.key} />
        <input type="hidden" name="price_cents" value={data.priceCents} />
        <input type="hidden" name="trial" value={data.firstCharge ? 'yes' : 'no'} />
        <fieldset>
          <legend>{t('checkout.who')}</legend>
          <Field {...textOf('name')} autoComplete="name" />
          {account ? (
            <p className="hint">{t('checkout.emailFixed', { email: account.email })}</p>
          ) : (
            <EmailField {...textOf('email')} hint={t('checkout.emailHint')} autoComplete="email" />
          )}
        </fieldset>
        <fieldset>
          <legend>{t('checkout.where')}</legend>
          <Field {...textOf('address')} autoComplete="billing address-line1" />
          <Field {...textOf('zip_code')} className="postcode" autoComplete="billing postal-code" />
          <Field {...textOf('city')} autoComplete="billing address-level2" />
          <SelectField
            field={{ ...fields.country, required: true }}
            label={t('checkout.country')}
            error={message(fields.country.errors)}
            options={[{ value: '', label: t('checkout.choose') }, ...countries]}
            autoComplete="billing country"
          />
          <CheckboxField
            field={fields.professional}
            label={t('checkout.professional')}
            hint={t('checkout.professionalHint', { net: data.net })}
          />
        </fieldset>
        <fieldset className="business-fields">
          <legend>{t('checkout.business')}</legend>
          <Field {...textOf('company')} autoComplete="billing organization" />
          <Field {...textOf('siret')} hint={t('checkout.siretHint')} autoComplete="off" optional />
          <Field {...textOf('vat_number')} hint={t('checkout.vatHint')} autoComplete="off" optional />
        </fieldset>
        <OrderSummary data={data} />
        <Payment />
        <CheckboxField
          field={{ ...fields.terms, required: true }}
          label={t('checkout.terms')}
          hint={<Link to="/terms-of-sales">{t('checkout.readTerms')}</Link>}
          error={message(fields.terms.errors)}
        />
        <CheckboxField
          field={{ ...fields.waiver, required: true }}
          label={t('checkout.waiver')}
          hint={t('checkout.waiverHint')}
          error={message(fields.waiver.errors)}
        />
        {robot.fields}
        <Button className="order-button">{t(`checkout.button.${data.slug}`, { price: data.price })}</Button>
        <p className="hint">
          {data.firstCharge
            ? t('checkout.below', { price: data.price, date: data.firstCharge })
            : t('checkout.belowNow', { price: data.price })}
        </p>
      </Form>
    </>
  );
}

// Brand names, the same in every language.
const CARDS = ['Visa', 'Mastercard', 'CB', 'Amex'];

/** What is ordered, what it costs and when, and how it ends: shown right before the consents and the order button. */
function OrderSummary({ data }: { data: CheckoutData }) {
  const { t } = useTranslation('billing');
  const { slug, price, hasVat, nothing, firstCharge, hasMoneyBack, terms } = data;
  const items = [
    { term: t('summary.plan'), value: t(`plans.${slug}`) },
    {
      term: t('summary.price'),
      value: <strong>{t(`summary.${hasVat ? 'prices' : 'netPrices'}.${slug}`, { price })}</strong>,
    },
    ...(firstCharge
      ? [
          { term: t('summary.trial'), value: t('summary.trialValue', terms) },
          { term: t('summary.today'), value: <strong>{nothing}</strong> },
          {
            term: t('summary.first'),
            value: <strong>{t('summary.firstValue', { price, date: firstCharge })}</strong>,
          },
        ]
      : [{ term: t('summary.today'), value: <strong>{price}</strong> }]),
    { term: t('summary.after'), value: t(`summary.afters.${slug}`, { price }) },
    { term: t('summary.cancel'), value: t(firstCharge ? 'summary.cancelTrialValue' : 'summary.cancelValue') },
    {
      term: t('summary.withdraw'),
      value: t(hasMoneyBack ? 'summary.withdrawValue' : 'summary.withdrawOnlyValue', terms),
    },
  ];
  return (
    <section className="order-summary" aria-labelledby="order-summary">
      <h2 id="order-summary">{t('summary.title')}</h2>
      <DefinitionList items={items} />
    </section>
  );
}

function Payment() {
  const { t } = useTranslation('billing');
  return (
    <section aria-labelledby="payment">
      <h2 id="payment">{t('summary.payment')}</h2>
      <p>{t('summary.card')}</p>
      <div className="cards">
        <span className="sr-only">{t('summary.cards')}</span>
        <ul>
          {CARDS.map((card) => (
            <li key={card}>{card}</li>
          ))}
        </ul>
      </div>
    </section>
  );
}

interface PlanSwitchButtonProps {
  /** Id of the order form. */
  form: string;
  /** Path of the order page of the other plan. */
  to: string;
  children: ReactNode;
}

/**
 * Opens the other plan's order page and keeps what was typed, unvalidated. Without scripts it posts the form;
 * with scripts it restores the fields.
 */
function PlanSwitchButton({ form, to, children }: PlanSwitchButtonProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const restore = useRef<{ to: string; fields: () => void } | null>(null);

  useBeforePaint(() => {
    if (!restore.current || restore.current.to === to) return;
    restore.current.fields();
    restore.current = null;
  }, [to]);

  function onClick(event: MouseEvent<HTMLButtonElement>) {
    if (!isPlainClick(event.nativeEvent)) return;
    event.preventDefault();
    restore.current = { to, fields: captureFields() };
    navigate(to, { preventScrollReset: true });
  }

  return (
    <>
      {/* Enter in a field activates the form's first submit button, which must not be this one. Text browsers show
          it, but not without content. */}
      <button type="submit" form={form} hidden aria-label={t('form.send')} />{' '}
      <button
        type="submit"
        name="switch"
        value="plan"
        form={form}
        formAction={to}
        formMethod="post"
        formNoValidate
        className="link-button"
        onClick={onClick}
      >
        {children}
      </button>
    </>
  );
}

interface OrderAsideProps extends Pick<CheckoutPageProps, 'picture' | 'problem'> {
  features: TextName<'billing', 'aside.features'>[];
}

/** Beside an order: the design it is for, and what the plan includes. */
function OrderAside({ features, picture, problem }: OrderAsideProps) {
  const { t } = useTranslation('billing');
  return (
    <aside className="order-aside" aria-label={t('aside.label')}>
      {picture && (
        <>
          <h2>{t('aside.design')}</h2>
          <p>{t('aside.designText')}</p>
          <PhoneFrame label={t('aside.phone')}>{picture}</PhoneFrame>
        </>
      )}
      {problem && (
        <div className="warning">
          <p>
            {t('aside.unfinished')} {problem}
          </p>
          <p>
            <Link to="/create">{t('aside.fix')}</Link>
          </p>
        </div>
      )}
      <Sheet title={t('aside.included')}>
        <ul className="included">
          {features.map((feature) => (
            <li key={feature}>
              <Icon name="check" />
              {t(`aside.features.${feature}`)}
            </li>
          ))}
        </ul>
      </Sheet>
    </aside>
  );
}
