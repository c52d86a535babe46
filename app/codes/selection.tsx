import { Link } from '@remix-run/react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '~/ui/button';
import { PageHeading } from '~/ui/page-layouts';

/** Hidden fields that identify the chosen codes. */
export function SelectionFields({ selection }: { selection: [name: string, value: string][] }) {
  return selection.map(([name, value]) => (
    <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
  ));
}

/** Shown when a file is requested without any codes chosen. */
export function NoneChosen() {
  const { t } = useTranslation('files');
  return (
    <PageHeading title={t('none.heading')} lead={t('none.lead')}>
      <Link to="/user/qrcodes" className={buttonClass()}>
        {t('back')}
      </Link>
    </PageHeading>
  );
}
