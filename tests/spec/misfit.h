// Reads from a refusal of a configuration why it does not fit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace spio::test {

// What explain(), which throws an Error for a configuration that does not fit, says after the words
// "does not fit: "; another reason is returned after "refused: ", and "none" if nothing is thrown.
template <class Error, class Explain> std::string misfit_of(Explain const& explain) {
    try {
        explain();
        return "none";
    } catch (Error const& refusal) {
        static std::string const words = " does not fit: ";
        auto const reason = refusal.reason();
        auto const place = reason.find(words);
        return place == std::string::npos ? "refused: " + reason
                                          : reason.substr(place + words.size());
    }
}

} // namespace spio::test
