import type { ContentForm, DetailsProps } from './content-form';
import { LINK_INPUT, PartArea, PartField, PartFold } from './part-fields';

export const contact: ContentForm = {
  icon: 'contact',
  main: 'givenName',
  label: 'givenName',
  control: { type: 'text', autoComplete: 'given-name' },
  isOptional: true,
  note: 'contactNote',
  Details,
  importNote: 'contact',
  related: { familyName: ['givenName'], organisation: ['givenName'] },
};

const PHONE = { type: 'tel', inputMode: 'tel' } as const;
const EMAIL = { type: 'email', spellCheck: false } as const;

function Details(props: DetailsProps) {
  return (
    <>
      <div className="parts">
        <PartField {...props} name="familyName" autoComplete="family-name" />
        <PartField {...props} name="honorific" autoComplete="honorific-prefix" />
        <PartField {...props} name="organisation" autoComplete="organization" />
        <PartField {...props} name="jobTitle" autoComplete="organization-title" />
        <PartField {...props} name="mobilePhone" {...PHONE} autoComplete="mobile tel" />
        <PartField {...props} name="workPhone" {...PHONE} autoComplete="work tel" />
        <PartField {...props} name="workEmail" {...EMAIL} autoComplete="work email" />
        <PartField {...props} name="contactWebsite" {...LINK_INPUT} />
      </div>
      <PartFold
        {...props}
        summary="workAddress"
        parts={[
          ['workStreet', { autoComplete: 'address-line1' }],
          ['workPostcode', { autoComplete: 'postal-code' }],
          ['workCity', { autoComplete: 'address-level2' }],
          ['workRegion', { autoComplete: 'address-level1' }],
          ['workCountry', { autoComplete: 'country-name' }],
        ]}
      />
      <PartFold
        {...props}
        summary="atHome"
        parts={[
          ['homePhone', { ...PHONE, autoComplete: 'home tel' }],
          ['homeEmail', { ...EMAIL, autoComplete: 'home email' }],
          ['homeStreet', { autoComplete: 'address-line1' }],
          ['homePostcode', { autoComplete: 'postal-code' }],
          ['homeCity', { autoComplete: 'address-level2' }],
          ['homeRegion', { autoComplete: 'address-level1' }],
          ['homeCountry', { autoComplete: 'country-name' }],
        ]}
      />
      <PartArea {...props} name="note" />
    </>
  );
}
