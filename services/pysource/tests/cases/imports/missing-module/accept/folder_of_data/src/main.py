import assets
