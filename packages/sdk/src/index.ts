export * from './contract/index.ts';
export * from './rules/index.ts';
export { ApiError, type ApiErrorKind, isApiError } from './client/apiError.ts';
export type * from './client/api.generated.ts';
// The same types as the contract's, with each field's documentation where an editor shows it.
export type {
  AddressCandidate,
  ApiToken,
  ApiTokenInput,
  BulkInput,
  BulkResult,
  CertificateAuthorityInput,
  CreatedApiToken,
  CreatedJoinKey,
  CreatedNode,
  CreatedToken,
  Domain,
  DomainDns,
  DomainInput,
  DomainQuery,
  FeatureState,
  GatewayConfig,
  GatewaySettings,
  HealthReport,
  HttpService,
  HttpServiceInput,
  IdentityProviderInput,
  JoinKey,
  JoinKeyInput,
  LastBackup,
  ListedHttpService,
  ListedTcpService,
  LogQuery,
  LoginInput,
  Me,
  Node,
  NodeInput,
  NodeQuery,
  OpenSession,
  PasswordInput,
  PublicAddress,
  PublicAddressInput,
  Setting,
  SettingTest,
  SettingTestInput,
  UnavailableFeature,
  OwnNode,
  SavedHttpService,
  SavedTcpService,
  ServiceQuery,
  Session,
  TcpService,
  TcpServiceInput,
  Token,
  TokenInput,
  WgConfig,
} from './client/api.generated.ts';
export type { Call, CallResponse } from './client/transport.ts';
export { boundedText } from './client/body.ts';
export {
  type AdminClient,
  type Client,
  type ClientOptions,
  clientOf,
  createAdminClient,
  createClient,
} from './client/createClient.ts';
export type { Download } from './client/download.ts';
export { type QueryKey, groupKey, queryKey } from './client/queryKey.ts';
export { isReplyLost, newIdempotencyKey } from './client/lostReply.ts';
export { type RawRequest, sendRaw } from './client/sendRaw.ts';
export {
  EVENT_MAX_CHARS,
  type EventStream,
  IDLE_TIMEOUT_MS,
  type StreamState,
  type StreamStateDetails,
  type WatchOptions,
} from './client/stream.ts';
export { type StreamSharing, createStreamSharing } from './client/streamSharing.ts';
export {
  CALL_TIMEOUT_MS,
  type CallOptions,
  type ProofSource,
  type ProvedRequest,
  REPLY_MAX_BYTES,
  type TokenSource,
} from './client/transport.ts';
export {
  type Moment,
  type ZoneOptions,
  formatBytes,
  formatClosing,
  formatDate,
  formatExact,
  formatRelative,
} from './format.ts';
export type { LogDetails } from './contract/log.ts';
export {
  type BufferedLine,
  type Level,
  LogBuffer,
  type RequestLine,
  levelOf,
  parseDetails,
  parseLine,
  printable,
  statusOf,
} from './lines.ts';
