export const SAML_METADATA_TYPE = 'application/samlmetadata+xml';
