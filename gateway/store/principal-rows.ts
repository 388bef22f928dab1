/** A person, or only the name of one who was removed. */
export interface PersonRow {
  name: string;
  role: string;
  /** JSON: labels. */
  scope: string;
  until: number | null;
  set_by: string;
  set_at: number;
  /** 1: was removed. */
  removed: number;
  /** 1: holds a certificate, or held one. */
  let_in: number;
}

/** A token of the API, or only the name of one that was removed. */
export interface ApiTokenRow {
  name: string;
  /** Whom it lets in, as `principalName` writes it. */
  principal: string;
  role: string;
  /** JSON: labels. */
  scope: string;
  /** SHA-256 of what it says, in hex. */
  digest: string;
  /** The same of what it said before its rotation, which counts until then. */
  former_digest: string;
  former_until: number;
  until: number | null;
  set_by: string;
  set_at: number;
  /** 1: was removed. */
  removed: number;
  used_at: number | null;
  used_from: string;
}

/** A principal is `kind:name` in all three. */
export interface RevocationRow {
  principal: string;
  set_by: string;
  reason: string;
  set_at: number;
  /** How often it was revoked. */
  epoch: number;
}

/** Issued to a principal after it was revoked. */
export interface LaterCertificateRow {
  fingerprint: string;
  principal: string;
  epoch: number;
}

/** Holds a certificate, or held one. */
export interface EnrolledRow {
  principal: string;
}

/** A valid enrolment token, until its time is over. */
export interface EnrolmentTokenRow {
  id: string;
  expires_at: number;
  /** Digest of the public key that it was used for; empty if it was not. */
  used_by: string;
  /** PEM: what it was answered with. */
  certificate: string;
  /** How often. */
  answers: number;
}

/** A hand-over of the signing key, as the audit has it. */
export interface SigningKeyRow {
  /** Public, as `src/audit` writes keys. */
  key: string;
  former: string;
  /** Tokens of the former key count until then. */
  former_until: number;
  set_by: string;
  set_at: number;
}

/** A person of a provider: a name is one subject's for good. */
export interface SignInRow {
  name: string;
  issuer: string;
  subject: string;
  /** JSON: the names of the groups, as the provider said them last; empty if there are none that count. */
  groups: string;
  /** When the ID token ends, if nothing can be read again; null if it can. */
  until: number | null;
  /** When the rights changed last. */
  set_at: number;
}
