import { composeMailto } from '#contract/contents/mail-addresses';
import { readParts } from '#contract/contents/parts';
import { composeTel } from '#contract/contents/phone-numbers';
import { addressOf, type ContactParts, composeVcard, fullName, USES } from '#contract/contents/vcard';
import type { HostedType, VisitedCode } from './hosted-type';
import { mapOf } from './maps';
import { fileName, hostedParts, openable } from './parts';

const PHONES = { mobile: 'mobilePhone', work: 'workPhone', home: 'homePhone' } as const;
const EMAILS = { work: 'workEmail', home: 'homeEmail' } as const;

export const contact: HostedType = {
  ...hostedParts('contact', ['givenName', 'familyName', 'organisation']),
  landing: (code) => ({ kind: 'contact', ...shownOf(code) }),
  follow(code, act, n, os) {
    const { phones, emails, addresses, website } = shownOf(code);
    const phone = phones[n - 1]?.number;
    const email = emails[n - 1]?.address;
    const address = addresses[n - 1]?.text;
    if (act === 'call') return phone ? composeTel(phone) : null;
    if (act === 'write') return email ? composeMailto({ address: email }) : null;
    if (act === 'map') return address ? mapOf(address, os) : null;
    return (act === 'open' && website) || null;
  },
  file({ content }, act) {
    if (act !== 'save') return null;
    const parts = readParts<ContactParts>(content);
    return {
      name: fileName(fullName(parts), 'contact', 'vcf'),
      mediaType: 'text/vcard; charset=utf-8',
      text: composeVcard(parts),
    };
  },
  words: {
    gb: 'contact vcard business card visiting person',
    fr: 'contact carte visite vcard personne',
    es: 'contacto tarjeta visita vcard persona',
    de: 'kontakt visitenkarte vcard person',
    it: 'contatto biglietto visita vcard persona',
  },
  headers: {
    givenName: 'given name, first name, forename, prénom, nombre de pila, vorname, nome di battesimo',
    familyName: `family name, last name, surname, nom de famille, apellido, apellidos, nachname, familienname,
      cognome`,
    honorific: `honorific, honorific prefix, name prefix, civilité, tratamiento, titolo di cortesia,
      title before the name, titre devant le nom, titel vor dem namen, titolo davanti al nome`,
    organisation: `organisation, organization, organization name, company, company name, société, entreprise,
      empresa, organización, firma, unternehmen, azienda, organizzazione`,
    jobTitle: `job title, organization title, position title, fonction, poste, cargo, puesto,
      berufsbezeichnung, funktion, posizione lavorativa, ruolo`,
    mobilePhone: `mobile phone, cell, cell phone, téléphone mobile, téléphone portable, teléfono móvil,
      mobiltelefon, telefono cellulare, telefono mobile`,
    workPhone: `work phone, business phone, office phone, téléphone professionnel, teléfono del trabajo,
      telefon geschäftlich, telefono di lavoro, phone at work`,
    homePhone: `home phone, private phone, téléphone personnel, teléfono de casa, telefon privat,
      telefono di casa, phone at home, teléfono personal, telefono privato`,
    workEmail: `work email, work e-mail, business email, office email, e-mail professionnel,
      correo del trabajo, e-mail geschäftlich, email di lavoro, e-mail at work`,
    homeEmail: `home email, home e-mail, private email, personal email, e-mail personnel, correo personal,
      e-mail privat, email personale, e-mail privata`,
    contactWebsite: `contact website, website of the contact, site du contact, sitio del contacto,
      website des kontakts, sito del contatto, site web du contact, sitio web del contacto,
      sito web del contatto`,
    workStreet: `work street, business street, street, street address, rue, calle, straße, via,
      street and number, numéro et rue, calle y número, straße und hausnummer, via e numero civico`,
    workPostcode: `work postcode, business postal code, postcode, postal code, zip, zip code, code postal,
      código postal, plz, postleitzahl, cap`,
    workCity: `work city, business city, city, town, ville, ciudad, stadt, ort, città, town or city, localidad`,
    workRegion: `work region, work state, business state, state, region, province, région, región, provincia,
      bundesland, regione, state or region, provincia o región, bundesland oder region,
      provincia o regione`,
    workCountry: 'work country, business country, country, pays, país, land, paese',
    homeStreet: `home street, home address, adresse personnelle, calle particular, straße privat, via di casa,
      street and number private, numéro et rue personnels, calle y número personales,
      straße und hausnummer privat, via e numero civico privati`,
    homePostcode: `home postcode, home postal code, home zip, postcode private, code postal personnel,
      código postal personal, postleitzahl privat, cap privato`,
    homeCity: `home city, ville personnelle, stadt privat, ort privat, town or city private,
      localidad personal, città privata`,
    homeRegion: `home region, home state, state or region private, région personnelle,
      provincia o región personal, bundesland oder region privat, provincia o regione privata`,
    homeCountry: `home country, land privat, country private, pays personnel, país personal, paese privato`,
    note: 'note, nota, notiz',
  },
};

/** What the page shows; acts count in the same order. */
function shownOf({ content, blockedLinks }: VisitedCode) {
  const parts = readParts<ContactParts>(content);
  return {
    name: fullName(parts),
    organisation: parts.organisation ?? '',
    jobTitle: parts.jobTitle ?? '',
    phones: (['mobile', 'work', 'home'] as const).flatMap((use) => {
      const number = parts[PHONES[use]];
      return number ? { use, number } : [];
    }),
    emails: USES.flatMap((use) => {
      const address = parts[EMAILS[use]];
      return address ? { use, address } : [];
    }),
    addresses: USES.flatMap((use) => {
      const text = addressText(parts, use);
      return text ? { use, text } : [];
    }),
    website: openable(parts.contactWebsite, blockedLinks),
    note: parts.note ?? '',
  };
}

function addressText(parts: ContactParts, use: (typeof USES)[number]): string {
  const { street, postcode, city, region, country } = addressOf(parts, use);
  const town = [postcode, city].filter(Boolean).join(' ');
  return [street, town, region, country].filter(Boolean).join('\n');
}
