import { useTranslation } from 'react-i18next';
import { Icon } from '~/ui/icon';

/** Links to the export files, available without a subscription too. */
export function ExportLinks({ files }: { files: { daily: string; codes: string } }) {
  const { t } = useTranslation('statistics');
  return (
    <section className="exports">
      <h2>{t('exports.heading')}</h2>
      <p>{t('exports.text')}</p>
      <ul className="actions">
        <li>
          <a href={files.daily}>
            <Icon name="download" /> {t('exports.daily')}
          </a>
        </li>
        <li>
          <a href={files.codes}>
            <Icon name="download" /> {t('exports.codes')}
          </a>
        </li>
      </ul>
    </section>
  );
}
