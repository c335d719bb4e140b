# The page of heddle report and the library it draws with are part of the program.
$(BUILD)/obj/lab/page.o: src/lab/page.html third_party/chartjs/chart.umd.min.js
# So are the version of the timing, and reasons of claims.
$(BUILD)/obj/lab/claims/claim_stored.o: results/timing.tsv
$(BUILD)/obj/lab/claims/claim_reason.o: results/reasons.toml
# So is the table of published claims.
$(BUILD)/obj/lab/claims/claim_groups.o: src/lab/claims/claims.tsv
# And so are the readings of the papers.
$(BUILD)/obj/lab/reading.o: $(wildcard readings/*.toml)
