import { assignmentRoutes } from './assignment-routes.ts';
import { pageQuery } from './fields.ts';
import { paths } from './paths.ts';
import {
  apiToken,
  apiTokens,
  invitedUser,
  linkNamed,
  linkRequest,
  nothing,
  peerNamed,
  principalParams,
  programCode,
  reasonQuery,
  revoked,
  rotateRequest,
  tokenRequest,
  toldToken,
  user,
  userRequest,
  users,
} from './principals.ts';
import type { Route } from './route.ts';

/** Who may call, for admins. */
export const principalRoutes = {
  users: { ...paths.users, does: 'people, by name', query: pageQuery, answer: users },
  setUser: {
    ...paths.setUser,
    does: 'adds a person, or changes what a known one may do, and makes a code that gets a certificate, once',
    body: userRequest,
    answer: invitedUser,
  },
  removeUser: {
    ...paths.removeUser,
    does: 'removes a person, for good: the name cannot be used again',
    params: peerNamed,
    query: reasonQuery,
    answer: user,
  },
  linkUser: {
    ...paths.linkUser,
    does: 'says that another principal is this person: two of one person never count as two who say yes',
    params: peerNamed,
    body: linkRequest,
    answer: user,
  },
  unlinkUser: {
    ...paths.unlinkUser,
    does: 'takes that back',
    params: linkNamed,
    query: reasonQuery,
    answer: user,
  },
  tokens: { ...paths.tokens, does: 'API tokens, by name', query: pageQuery, answer: apiTokens },
  createToken: {
    ...paths.createToken,
    does: 'makes an API token; what it says is answered here and never again',
    body: tokenRequest,
    answer: toldToken,
  },
  rotateToken: {
    ...paths.rotateToken,
    does: 'the token says something else from now on',
    params: peerNamed,
    body: rotateRequest,
    answer: toldToken,
  },
  programCode: {
    ...paths.programCode,
    does: 'makes a code with which the program of an API token gets a certificate for gRPC, as long as the token is in force',
    params: peerNamed,
    body: nothing,
    answer: programCode,
  },
  removeToken: {
    ...paths.removeToken,
    does: 'removes an API token, for good: the name cannot be used again',
    params: peerNamed,
    query: reasonQuery,
    answer: apiToken,
  },
  revokePrincipal: {
    ...paths.revokePrincipal,
    does: 'certificates and codes of a relay or a person are void; API tokens of a program or an agent are removed',
    params: principalParams,
    query: reasonQuery,
    answer: revoked,
  },
  ...assignmentRoutes,
} as const satisfies Record<string, Route>;
