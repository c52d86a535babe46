import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '~/ui/button';
import { Form } from '~/ui/form';
import { Icon } from '~/ui/icon';
import { Sheet } from '~/ui/page-layouts';
import type { ListedAddress } from './addresses.server';

/** Billing addresses with the actions on each. */
export function AddressList({ addresses }: { addresses: ListedAddress[] }) {
  const { t } = useTranslation('settings');
  return (
    <Sheet id="addresses" title={t('addresses.heading')}>
      <p>{t(addresses.length > 0 ? 'addresses.lead' : 'addresses.empty')}</p>
      {addresses.length > 0 && (
        <ul className="addresses">
          {addresses.map((address) => (
            <li key={address.id} className="address">
              <AddressCard address={address} />
            </li>
          ))}
        </ul>
      )}
      <p>
        <Link to="/user/settings/addresses/new" className={buttonClass('secondary')}>
          <Icon name="plus" />
          {t('addresses.add')}
        </Link>
      </p>
    </Sheet>
  );
}

function AddressCard({ address }: { address: ListedAddress }) {
  const { t } = useTranslation('settings');
  const { id, street, is_default } = address;
  const path = `/user/settings/addresses/${id}`;
  const about = <span className="sr-only"> {street}</span>;
  return (
    <>
      <AddressText address={address} />
      {is_default && <span className="badge">{t('addresses.default')}</span>}
      <div className="actions">
        <Link to={path} className={buttonClass('secondary', 'small')}>
          {t('addresses.edit')}
          {about}
        </Link>{' '}
        {!is_default && (
          <Form>
            <input type="hidden" name="id" value={id} />
            <Button variant="quiet" size="small" name="intent" value="default-address">
              {t('addresses.makeDefault')}
              {about}
            </Button>
          </Form>
        )}
        <Link to={`${path}/delete`} className={buttonClass('quiet', 'small')}>
          {t('addresses.delete')}
          {about}
        </Link>
      </div>
    </>
  );
}

/** An address as on an envelope, with a company's numbers below it. */
export function AddressText({ address }: { address: ListedAddress }) {
  const { t } = useTranslation('settings');
  const lines = [
    address.company_name,
    address.street,
    `${address.postal_code} ${address.city}`.trim(),
    address.state_region,
    address.countryName,
    address.vat_number && t('common:labelled', { label: t('address.vat_number'), value: address.vat_number }),
    address.siret_number &&
      t('common:labelled', { label: t('address.siret_number'), value: address.siret_number }),
  ].filter(Boolean);
  return <p className="address-lines">{lines.join('\n')}</p>;
}
