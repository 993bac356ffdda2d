// SPDX-License-Identifier: Apache-2.0
// The program `heed`: finds the verb, runs it, turns an error into a message and an exit code.
int main() {
  return 0;
}
