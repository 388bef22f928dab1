/** A change of gateway.yaml for which all is open that it needs. What was not applied is closed when this is disposed of. */
export interface Prepared extends Disposable {
  /** Makes it count. */
  readonly apply: () => void;
}
