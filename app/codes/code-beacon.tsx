import { useTranslation } from 'react-i18next';
import { CopyField } from '~/ui/copy-to-clipboard';

/**
 * Explains how the destination page of a link can report visitors' actions, and how the reports are counted.
 */
export function CodeBeacon({ address }: { address: string }) {
  const { t } = useTranslation('codes');
  return (
    <details className="fold" id="beacon">
      <summary>{t('beacon.heading')}</summary>
      <p>{t('beacon.lead')}</p>
      <CopyField label={t('beacon.address')} value={address} />
      <CopyField label={t('beacon.script')} value={`navigator.sendBeacon('${address}')`} />
      <CopyField
        label={t('beacon.image')}
        value={`<img src="${address}" alt="" width="1" height="1" referrerpolicy="no-referrer">`}
      />
      <h3>{t('beacon.counted')}</h3>
      <ul className="beacon-facts">
        <li>{t('beacon.once')}</li>
        <li>{t('beacon.visitor')}</li>
        <li>{t('beacon.robots')}</li>
        <li>{t('beacon.stored')}</li>
        <li>{t('beacon.law')}</li>
      </ul>
    </details>
  );
}
