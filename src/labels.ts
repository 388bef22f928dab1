/** What a label's key is, in configuration and in requests: no name that an object has by itself is one. */
export const labelKey = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/;

export const labelValueLength = 128;

/** Of one request, or of one scope. */
export const labelsAtMost = 16;
